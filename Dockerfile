# incast as a command: docker run --rm -v "$PWD:/data" incast run scenario.toml
FROM rust:1.95-slim-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends build-essential python3 python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN python3 -m venv /tools \
    && /tools/bin/pip install --no-cache-dir 'maturin>=1.9,<2' \
    && /tools/bin/maturin build --release --out /wheels

FROM python:3.11-slim-bookworm
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl \
    && rm -r /wheels \
    && useradd --create-home incast
USER incast
WORKDIR /data
ENTRYPOINT ["incast"]
CMD ["--help"]
