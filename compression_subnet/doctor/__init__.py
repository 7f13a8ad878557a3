"""The doctor: is everything that a neuron needs in order, and if not, what to do."""

from compression_subnet.doctor.check import Check, Status, worst
from compression_subnet.doctor.examine import DoctorConfig, Probes, examine

__all__ = ["Check", "DoctorConfig", "Probes", "Status", "examine", "worst"]
