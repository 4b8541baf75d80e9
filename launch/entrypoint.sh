#!/bin/sh
# The image's entry point. Runners start a worker with options only, which are for Beam's boot program;
# anything else is a command.
case "${1:-}" in
    -*) exec /opt/apache/beam/boot "$@" ;;
    *) exec "$@" ;;
esac
