#!/usr/bin/env python3
"""What OpenTelemetry's own types (PyPI: opentelemetry-proto) read in a request's body: one line of JSON for each log record.

    otlp-decode.py FILE

A file whose name ends in .json is in the protocol's JSON, any other in Protocol Buffers. Numbers of 64 bits are printed as text and
doubles as their bits, so that nothing is rounded on the way. What these types refuse, or do not know, ends the program.
"""

import base64
import json
import struct
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest


def value(any_value):
    kind = any_value.WhichOneof("value")
    if kind is None:
        return {}
    content = getattr(any_value, kind)
    if kind == "int_value":
        return {"int": str(content)}
    if kind == "double_value":
        return {"double": struct.pack(">d", content).hex()}
    if kind == "array_value":
        return {"array": [value(element) for element in content.values]}
    if kind == "kvlist_value":
        return {"list": members(content.values)}
    return {kind.removesuffix("_value"): content}


def members(attributes):
    return [[attribute.key, value(attribute.value)] for attribute in attributes]


def of_json(body):
    document = json.loads(body)
    for resource in document["resourceLogs"]:
        for scope in resource["scopeLogs"]:
            for record in scope["logRecords"]:
                # Hexadecimal digits in the protocol's JSON, base64 in that of Protocol Buffers.
                for name in {"traceId", "spanId"} & record.keys():
                    record[name] = base64.b64encode(bytes.fromhex(record[name])).decode()
    return json_format.ParseDict(document, ExportLogsServiceRequest())


def of_protobuf(body):
    request = ExportLogsServiceRequest.FromString(body)
    size = request.ByteSize()
    request.DiscardUnknownFields()
    if request.ByteSize() != size:
        sys.exit("there are fields that the types do not know")
    return request


with open(sys.argv[1], "rb") as file:
    body = file.read()
request = of_json(body) if sys.argv[1].endswith(".json") else of_protobuf(body)
for resource in request.resource_logs:
    for scope in resource.scope_logs:
        for record in scope.log_records:
            print(json.dumps({
                "resource": members(resource.resource.attributes),
                "scope": scope.scope.name,
                "time": str(record.time_unix_nano),
                "severity": record.severity_number,
                "name": record.severity_text,
                "body": value(record.body),
                "attributes": members(record.attributes),
                "trace": record.trace_id.hex(),
                "span": record.span_id.hex(),
            }))
