# An image whose containers are Beam workers and that has the command `paranmt`:
#
#   docker build --tag paranmt .
#   docker run --rm paranmt paranmt demo          # any command
#   docker run --rm paranmt --worker_pool         # Beam's boot program, as runners start it
#
# torch's package brings CUDA's libraries, so any base with Python 3.11 will do. Building and running must use
# the same base.
ARG BASE=python:3.11-slim-bookworm
ARG BEAM_SDK=apache/beam_python3.11_sdk:2.77.0

# hadolint ignore=DL3006
FROM ${BEAM_SDK} AS beam

# hadolint ignore=DL3006
FROM ${BASE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/* \
    && python3 -m venv /opt/paranmt \
    && /opt/paranmt/bin/pip install --quiet --upgrade "pip>=26"
ENV PATH=/opt/paranmt/bin:$PATH
WORKDIR /src

FROM build AS wheel
COPY . .
RUN pip wheel --quiet --no-deps --wheel-dir /dist .

# The wheel's dependencies are installed first, so that a change of the source does not install torch again.
FROM build AS environment
COPY pyproject.toml constraints.txt install.py ./
RUN python -c "import tomllib; project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
        extras = project['optional-dependencies']; \
        needed = [project['dependencies'], *(extras[name] for name in ('fairseq', 'dask', 's3', 'gcs'))]; \
        print(*sum(needed, []), sep='\n')" > requirements.txt \
    && pip install --quiet --constraint constraints.txt --requirement requirements.txt \
    && python install.py
COPY --from=wheel /dist /dist
RUN pip install --quiet --no-deps /dist/*.whl

# hadolint ignore=DL3006
FROM ${BASE} AS runtime
LABEL org.opencontainers.image.title="paranmt" \
      org.opencontainers.image.licenses="Apache-2.0"
# Triton compiles a small launcher for the GPU it finds, so the running image needs a C compiler too.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 paranmt
COPY --from=beam /opt/apache/beam/boot /opt/apache/beam/boot
COPY --from=environment /opt/paranmt /opt/paranmt
COPY launch/entrypoint.sh /opt/paranmt/entrypoint.sh
# Without this setting Beam's boot program would create a new environment for each worker; this one is complete.
ENV PATH=/opt/paranmt/bin:$PATH \
    RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT=1 \
    PYTHONUNBUFFERED=1
USER 1000
WORKDIR /home/paranmt
# Kernels are compiled here for any processor, or each container would compile them for its own (20 s).
ENV NUMBA_CPU_NAME=generic
RUN python -m paranmt.launch.compile_kernels
ENTRYPOINT ["/opt/paranmt/entrypoint.sh"]
CMD ["paranmt", "--help"]
