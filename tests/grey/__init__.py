"""The real processes under grey faults: they live on, but are stopped, slow, cut off, or out of resources."""
