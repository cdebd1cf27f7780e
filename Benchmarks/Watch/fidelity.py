#!/usr/bin/env python3
"""Captures a Django site and a SQLAlchemy program, and prints the fidelity reports. Requires root.

    fidelity.py POOLGAUGE [django|sqlalchemy] [--seconds S] [--python PATH] [--keep FOLDER]

The Django site is served by its test server with a thread for each request. Four visitors load a
page of orders, a customer's page, or place an order, and pause between requests. The SQLAlchemy
program has a pool of connections and four threads, which do the same with sessions.
"""

import argparse
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

DJANGO = """
import random, sys, threading, time, urllib.request
import django
from django.conf import settings
path, port = sys.argv[1], sys.argv[2]
settings.configure(
    ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="k", USE_TZ=False,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": path,
                           "CONN_MAX_AGE": None, "OPTIONS": {"timeout": 5}}})
django.setup()
from django.db import models, transaction
from django.http import HttpResponse
from django.urls import path as route
class Customer(models.Model):
    name = models.TextField()
    balance = models.IntegerField()
    class Meta: app_label, db_table, managed = "shop", "customer", False
class Order(models.Model):
    customer = models.ForeignKey(Customer, models.CASCADE)
    total = models.IntegerField()
    class Meta: app_label, db_table, managed = "shop", "orders", False
def recent(request):
    return HttpResponse(str([o.total for o in Order.objects.order_by("-id")[:20]]))
def customer(request, id):
    found = Customer.objects.get(id=id)
    return HttpResponse(found.name + str(found.order_set.count()))
def place(request, id):
    with transaction.atomic():
        found = Customer.objects.get(id=id)
        Order.objects.create(customer=found, total=10)
        Customer.objects.filter(id=id).update(balance=models.F("balance") + 10)
    return HttpResponse("ok")
urlpatterns = [route("recent", recent), route("c/<int:id>", customer), route("place/<int:id>", place)]
from django.core.management import execute_from_command_line
execute_from_command_line(["x", "runserver", "127.0.0.1:" + port, "--noreload"])
"""

VISITORS = """
import http.client, random, sys, threading, time
port = int(sys.argv[1])
def visit(number):
    chance = random.Random(number)
    c = http.client.HTTPConnection("127.0.0.1", port)
    while True:
        id, kind = chance.randint(1, 2000), chance.random()
        page = "recent" if kind < 0.3 else f"c/{id}" if kind < 0.8 else f"place/{id}"
        c.request("GET", "/" + page)
        c.getresponse().read()
        time.sleep(chance.expovariate(25))
for number in range(4): threading.Thread(target=visit, args=(number,)).start()
"""

ALCHEMY = """
import random, sys, threading, time
from sqlalchemy import create_engine, event, func, select, ForeignKey
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
engine = create_engine("sqlite:///" + sys.argv[1], pool_size=4, connect_args={"timeout": 5})
class Base(DeclarativeBase): pass
class Customer(Base):
    __tablename__ = "customer"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    balance: Mapped[int]
class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    customer_id: Mapped[int] = mapped_column(ForeignKey("customer.id"))
    total: Mapped[int]
def work(number):
    chance = random.Random(number)
    while True:
        id, kind = chance.randint(1, 2000), chance.random()
        with Session(engine) as session:
            if kind < 0.3:
                session.scalars(select(Order).order_by(Order.id.desc()).limit(20)).all()
            elif kind < 0.8:
                session.get(Customer, id)
                session.scalar(select(func.count()).where(Order.customer_id == id))
            else:
                found = session.get(Customer, id)
                session.add(Order(customer_id=id, total=10))
                found.balance += 10
                session.commit()
        time.sleep(chance.expovariate(25))
for number in range(4): threading.Thread(target=work, args=(number,)).start()
"""


def shop(path):
    chance = random.Random(1)
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.executescript(
        "CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL, balance INTEGER NOT NULL);"
        "CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL"
        " REFERENCES customer(id), total INTEGER NOT NULL);"
        "CREATE INDEX orders_customer ON orders(customer_id);"
    )
    names = ((i, f"customer {i}", 0) for i in range(1, 2001))
    database.executemany("INSERT INTO customer VALUES(?, ?, ?)", names)
    rows = ((i, chance.randint(1, 2000), chance.randint(1, 99)) for i in range(1, 20001))
    database.executemany("INSERT INTO orders VALUES(?, ?, ?)", rows)
    database.commit()
    database.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("poolgauge")
    parser.add_argument("programs", nargs="*", default=["django", "sqlalchemy"])
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--keep", help="a folder for the captured scenarios")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("tracing requires root")
    for name in options.programs:
        with tempfile.TemporaryDirectory() as folder:
            path, port = folder + "/shop.sqlite", str(18600 + os.getpid() % 1000)
            shop(path)
            file = pathlib.Path(folder + "/site_under_test.py")
            file.write_text(DJANGO if name == "django" else ALCHEMY)
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            running = [subprocess.Popen([options.python, file, path, port], **quiet)]
            time.sleep(3)
            if name == "django":
                running.append(subprocess.Popen([sys.executable, "-c", VISITORS, port], **quiet))
            time.sleep(2)
            print(f"== {name}, {options.seconds} s, load average {os.getloadavg()[0]:.1f}", flush=True)
            subprocess.run([
                options.poolgauge, "capture", path, "--for", f"{options.seconds}s",
                "--output", f"{folder}/captured.yaml",
            ])
            for program in running:
                if program.poll() is not None:
                    print(f"a program ended with {program.returncode}")
                program.kill()
                program.wait()
            if options.keep and os.path.exists(f"{folder}/captured.yaml"):
                shutil.copy(f"{folder}/captured.yaml", f"{options.keep}/{name}.yaml")


main()
