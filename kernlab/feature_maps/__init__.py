"""Feature maps by name."""

from kernlab.feature_maps.base import FEATURE_MAPS, FeatureMap
from kernlab.feature_maps.nonstationary import NonStationary
from kernlab.feature_maps.stationary import Stationary

__all__ = ["FEATURE_MAPS", "FeatureMap", "NonStationary", "Stationary"]
