#!/usr/bin/env python3
"""The current engine of ClickHouse (PyPI: chdb), asked over HTTP as a ClickHouse server is.

    clickhouse-engine.py PORT FOLDER

Statements run one after the other. Everything but HTTP is ClickHouse itself: its SQL, its settings, its tables on disk, its errors.
"""

import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb import session

ENGINE = session.Session(sys.argv[2])
TURN = threading.Lock()
OF_HTTP = {"query", "wait_end_of_query"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        parameters = dict(parse_qsl(urlsplit(self.path).query))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        statement = (parameters.get("query", "") + "\n" + body).strip()
        try:
            with TURN:
                for name, value in parameters.items():
                    if name not in OF_HTTP:
                        ENGINE.query(f"SET {name} = '{value}'")
                self.answer(200, str(ENGINE.query(statement, "TabSeparated")))
        except Exception as error:
            code = re.search(r"Code: (\d+)", str(error))
            self.answer(500, str(error), {"X-ClickHouse-Exception-Code": code.group(1)} if code else {})

    def answer(self, status, text, headers={}):
        body = text.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
