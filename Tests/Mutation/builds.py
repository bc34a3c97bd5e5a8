"""Builds of a copy of the package that contains mutants."""

import json
import os
import subprocess

import schemata


class Build:
    """A build of the mutants of `parts`.

    `checked` are the options that build no more than the changed modules; `product`, those that build what runs.
    """

    def __init__(self, package, target, checked, product, parts=schemata.PARTS):
        self.package, self.target, self.parts = package, target, parts
        self.checked, self.product = checked, product

    def swift_build(self, *options):
        """Returns the compiler's output, or None if there is no error."""
        command = [os.environ.get("SWIFT", "swift"), "build", "--package-path", self.target, *options]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return None if result.returncode == 0 else result.stdout

    def make(self, mutants):
        """Builds the mutants that compile, and returns them with their numbers."""
        # Mutants that did not compile the last time are left out: a mutant's ID changes with its line.
        path = os.path.join(self.target, "refused")
        refused = set()
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                refused = set(file.read().split("\n"))
        count = len(mutants)
        mutants = [mutant for mutant in mutants if mutant.id not in refused]
        schemata.copy(self.package, self.target, self.parts)
        mutants, left_out = schemata.settle(
            self.package, self.target, mutants, lambda: self.swift_build(*self.checked), self.parts
        )
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(sorted(refused | set(left_out))))
        if count > len(mutants):
            print(f"{count - len(mutants)} do not compile and are left out.")
        output = self.swift_build(*self.product)
        if output is not None:
            raise schemata.Failure(output)
        with open(self.numbers, "w", encoding="utf-8") as file:
            json.dump([mutant.id for mutant in mutants], file)
        return list(enumerate(mutants, 1))

    def last(self, mutants):
        """Those of the mutants that are in the last build, with their numbers there."""
        with open(self.numbers, encoding="utf-8") as file:
            built = {id: number for number, id in enumerate(json.load(file), 1)}
        return [(built[mutant.id], mutant) for mutant in mutants if mutant.id in built]

    @property
    def numbers(self):
        return os.path.join(self.target, "numbers.json")

    def products(self):
        """The directory of the build products."""
        command = [os.environ.get("SWIFT", "swift"), "build", "--package-path", self.target, "--show-bin-path"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
