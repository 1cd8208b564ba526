"""KEDA's own kinds in these manifests as JSON Schema: their real schema lies in a cluster that has KEDA."""

from typing import Any, Final

NAME: Final = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}


def closed(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has these properties and no others."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


METADATA: Final = {"type": "object", "required": ["name"], "properties": {"name": NAME}}

# KEDA resolves the address in its operator's namespace, so it has to name the service's own.
REDIS: Final = closed(
    type={"const": "redis"},
    metadata=closed(
        address={"type": "string", "pattern": r"^[a-z0-9-]+\.[a-z0-9-]+\.svc(\.[a-z0-9.-]+)?:\d+$"},
        listName={"type": "string"},
        listLength={"type": "string", "pattern": r"^[1-9]\d*$"},
    ),
    authenticationRef=closed(name=NAME),
)

COUNT: Final = {"type": "integer", "minimum": 1}

KINDS: Final = {
    "ScaledObject": closed(
        apiVersion={"const": "keda.sh/v1alpha1"},
        kind={"const": "ScaledObject"},
        metadata=METADATA,
        spec=closed(
            scaleTargetRef=closed(name=NAME),
            minReplicaCount=COUNT,
            maxReplicaCount=COUNT,
            pollingInterval=COUNT,
            cooldownPeriod=COUNT,
            triggers={"type": "array", "minItems": 1, "items": REDIS},
        ),
    ),
    "TriggerAuthentication": closed(
        apiVersion={"const": "keda.sh/v1alpha1"},
        kind={"const": "TriggerAuthentication"},
        metadata=METADATA,
        spec=closed(
            secretTargetRef={
                "type": "array",
                "items": closed(parameter={"enum": ["password"]}, name=NAME, key={"type": "string"}),
            }
        ),
    ),
}
