#!/bin/sh
# The image's entry point. Runners start a worker with options alone, which go to Beam's boot program.
# Anything else is a command.
case "${1:-}" in
    -*) exec /opt/apache/beam/boot "$@" ;;
    *) exec "$@" ;;
esac
