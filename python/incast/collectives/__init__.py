"""Bandwidth of collectives over sizes of data, as nccl-tests measures it."""
