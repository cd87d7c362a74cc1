# incast as a command: docker run --rm -v "$PWD:/data" incast run scenario.toml
FROM rust:1.95-slim-bookworm AS build
# Debian's own versions of compiler and Python are enough.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends build-essential python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
# The wheel of a release, with the licences of what is compiled in.
RUN ./dev wheel

FROM python:3.11-slim-bookworm
COPY --from=build /source/target/wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl \
    && rm -r /wheels \
    && useradd --uid 1000 --create-home incast
USER 1000
WORKDIR /data
ENTRYPOINT ["incast"]
CMD ["--help"]
