#!/bin/sh
# The image's entry point. Runners start a worker with options only, which go to Beam's boot program. Anything
# else is a command to run.
case "${1:-}" in
    -*) exec /opt/apache/beam/boot "$@" ;;
    *) exec "$@" ;;
esac
