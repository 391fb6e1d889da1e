"""docs/scale/slurm.sbatch in a real Slurm: a controller and a node on this machine.

    slurm_test.py --bin BUILD/bin

Skipped where Debian's slurm-wlm is not installed, or without the rights that its daemons need.
"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEEDED = ("slurmctld", "slurmd", "sbatch", "sinfo", "squeue")
CONFIGURATION = """
ClusterName=dlpc
SlurmctldHost={host}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmctldPort={port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
NodeName={host} CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as s:
        s.bind(("", 0))
        return s.getsockname()[1]


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.3)
    return False


class Slurm(unittest.TestCase):
    def setUp(self):
        missing = [name for name in NEEDED if shutil.which(name) is None]
        if missing:
            self.skipTest("no " + ", ".join(missing) + " (Debian: slurm-wlm)")
        if os.geteuid() != 0:
            self.skipTest("the daemons of Slurm need root")
        if not (BIN / "dlpack-conformance").exists():
            self.skipTest("the program is not built")
        scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        conf = self.folder / "slurm.conf"
        conf.write_text(CONFIGURATION.format(host=socket.gethostname(), port=free_port(),
                                             node_port=free_port(), folder=self.folder))
        self.environment = dict(os.environ, SLURM_CONF=str(conf))
        for daemon in ("slurmctld", "slurmd"):
            child = subprocess.Popen([daemon, "-D", "-f", str(conf)], env=self.environment,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(self.end, child)
        ready = wait_for(lambda: "idle" in self.call("sinfo", "-h", "-o", "%t").stdout, 30)
        if not ready:
            self.skipTest("the node does not come up: " + self.log()[-500:])

    def end(self, child):
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()

    def log(self):
        return "".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def call(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True,
                              cwd=self.folder, timeout=60)  # fmt: skip

    def test_a_job_array(self):
        out = self.folder / "report"
        done = self.call(
            "sbatch", "--array=3-5", "--output", str(self.folder / "task-%a.txt"),
            "--export", f"ALL,PRODUCER=reference,CLI={BIN / 'dlpack-conformance'},OUT={out}",
            str(ROOT / "docs/scale/slurm.sbatch"))  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        idle = wait_for(lambda: self.call("squeue", "-h").stdout.strip() == "", 120)
        said = "".join(p.read_text() for p in sorted(self.folder.glob("task-*.txt")))
        self.assertTrue(idle and (out / "results.json").exists(), said + self.log()[-2000:])
        merged = json.loads((out / "results.json").read_text())
        self.assertEqual(merged["verdict"], "conformant")
        self.assertEqual(merged["environment"]["shards"], "3")
        self.assertFalse(merged["summary"]["partial"])
        subprocess.run([BIN / "dlpack-conformance", "run", "reference", "--out", out / "whole"],
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        whole = json.loads((out / "whole/results.json").read_text())
        self.assertEqual(merged["requirements"], whole["requirements"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    known, rest = parser.parse_known_args()
    BIN = known.bin.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
