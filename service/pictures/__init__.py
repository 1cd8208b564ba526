"""Pictures: conversion to PNG, padding, deltas, and a cache. This package contains no HTTP."""
