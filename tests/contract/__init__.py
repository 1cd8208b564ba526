"""The published contract: document, examples, and the findings of a fuzzer."""
