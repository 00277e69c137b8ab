PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE runs (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	method VARCHAR NOT NULL, 
	dataset VARCHAR NOT NULL, 
	device VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	seed INTEGER, 
	created FLOAT NOT NULL, 
	updated FLOAT NOT NULL, 
	seconds FLOAT NOT NULL, 
	spec JSON NOT NULL, 
	resolved JSON NOT NULL, 
	facts JSON NOT NULL, 
	summary JSON NOT NULL, 
	versions JSON NOT NULL, 
	fingerprint VARCHAR NOT NULL, 
	note VARCHAR NOT NULL, 
	error VARCHAR NOT NULL, 
	starred BOOLEAN NOT NULL, 
	deleted BOOLEAN NOT NULL, 
	step INTEGER NOT NULL, 
	rewound INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO runs VALUES('0mwr6ystvtdg','The first','ASKL','chirp','cpu','finished',0,1795312932.9794943332,1795312933.115039587,0.076026361999993241624,'{"method": {"name": "ASKL", "feature_map": {"kind": "nonstationary", "n_features": 4, "frequency_scale": "auto", "density": "gaussian", "nu": 2.5, "sampling": "iid", "learn_phase": false, "phase": "shared"}, "learned": true, "objective": null, "regularizers": [{"kind": "feature_norm", "weight": 1e-05}, {"kind": "trace_norm", "weight": 1e-05}], "solver": {"kind": "proximal_gradient", "optimizer": "adam", "learning_rate": "auto", "epochs": 1, "batch_size": 32, "schedule": "cosine", "patience": 10, "tolerance": 0.0001, "momentum": 0.9, "compile": "auto"}, "heads": [{"kind": "joint"}]}, "data": {"dataset": "chirp", "source": {"n_samples": 60}, "scaling": "auto", "target_scale": "original", "split": "random", "test_size": 0.2}, "seed": 0, "device": "auto"}','{"method": {"name": "ASKL", "feature_map": {"kind": "nonstationary", "n_features": 4, "frequency_scale": 9.783, "density": "gaussian", "nu": 2.5, "sampling": "iid", "learn_phase": false, "phase": "shared"}, "learned": true, "objective": {"kind": "squared"}, "regularizers": [{"kind": "feature_norm", "weight": 1e-05}, {"kind": "trace_norm", "weight": 1e-05}], "solver": {"kind": "proximal_gradient", "optimizer": "adam", "learning_rate": 0.01, "epochs": 1, "batch_size": 32, "schedule": "cosine", "patience": 10, "tolerance": 0.0001, "momentum": 0.9, "compile": "auto"}, "heads": [{"kind": "joint"}]}, "data": {"dataset": "chirp", "source": {"n_samples": 60}, "scaling": "auto", "target_scale": "original", "split": "random", "test_size": 0.2}, "seed": 0, "device": "auto"}','{"n_train": 48, "n_test": 12, "d": 1, "K": 1, "task": "regression", "classes": ["y"], "feature_names": ["x"], "image_shape": null, "scaling": "standardize", "target_unit": "original", "device": "cpu", "threads": 1, "compiled": false, "steps_per_epoch": 1, "total_steps": 1, "start_step": 0, "constant": 0.6166103770078206, "fingerprint": "ac37bf2ec7bb03fb5b86ebc1310460ade3f43b9699ed1890ec60cb74c1a11a2f", "warnings": [], "view": "curve", "metric": "rmse", "evaluated_rows": [48, 12], "frequencies_kept": 4, "bound": "spectral"}','{"method": "ASKL", "dataset": "chirp", "spec": {"method": {"name": "ASKL", "feature_map": {"kind": "nonstationary", "n_features": 4, "frequency_scale": 9.783, "density": "gaussian", "nu": 2.5, "sampling": "iid", "learn_phase": false, "phase": "shared"}, "learned": true, "objective": {"kind": "squared"}, "regularizers": [{"kind": "feature_norm", "weight": 1e-05}, {"kind": "trace_norm", "weight": 1e-05}], "solver": {"kind": "proximal_gradient", "optimizer": "adam", "learning_rate": 0.01, "epochs": 1, "batch_size": 32, "schedule": "cosine", "patience": 10, "tolerance": 0.0001, "momentum": 0.9, "compile": "auto"}, "heads": [{"kind": "joint"}]}, "data": {"dataset": "chirp", "source": {"n_samples": 60}, "scaling": "auto", "target_scale": "original", "split": "random", "test_size": 0.2}, "seed": 0, "device": "auto"}, "seed": 0, "device": "cpu", "n_train": 48, "n_test": 12, "epochs": 1, "steps": 1, "constant": 0.6166103770078206, "metric": "rmse", "train_metric": 0.7210451062757357, "test_metric": 0.6121985630789097, "objective": 0.9958477820522151, "bound": {"empirical_risk": 0.995842695236206, "zero_risk": 1.0, "weight_norm": 0.019999897107481956, "weight_square": 0.00039999588625505567, "rank": 1.0, "mean_trace": 0.488681774088103, "trace_spread": 0.05536152389719858, "lipschitz": 3.7154123783111572, "rademacher": 0.0020179955936754242, "worst_case": 0.0028867364946923812, "dual_norm": 0.0017157579787293745, "dual_norm_se": 0.00019024537434581245, "complexity": 0.04241331582501692, "confidence": 0.24982211477844551, "total": 0.29223543060346246, "gap": -0.2779650092124939}, "test_rmse_range100": 25.936562330887643, "target_unit": "original", "seconds": 4.317491909999944}','{"python": "3.11.7", "kernlab": "0.1.0", "torch": "2.13.0+cpu", "numpy": "2.4.6"}','ac37bf2ec7bb03fb5b86ebc1310460ade3f43b9699ed1890ec60cb74c1a11a2f','','',0,0,1,0);
CREATE TABLE metrics (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	run_id VARCHAR NOT NULL, 
	step INTEGER NOT NULL, 
	epoch FLOAT NOT NULL, 
	name VARCHAR NOT NULL, 
	value FLOAT
);
INSERT INTO metrics VALUES(1,'0mwr6ystvtdg',0,0.0,'train_metric',0.72254861987818508328);
INSERT INTO metrics VALUES(2,'0mwr6ystvtdg',0,0.0,'test_metric',0.61661037700782062032);
INSERT INTO metrics VALUES(3,'0mwr6ystvtdg',0,0.0,'train_loss',0.9999999403953552246);
INSERT INTO metrics VALUES(4,'0mwr6ystvtdg',0,0.0,'test_loss',0.72826176881790161132);
INSERT INTO metrics VALUES(5,'0mwr6ystvtdg',0,0.0,'bound/empirical_risk',0.9999999403953552246);
INSERT INTO metrics VALUES(6,'0mwr6ystvtdg',0,0.0,'bound/zero_risk',0.9999999403953552246);
INSERT INTO metrics VALUES(7,'0mwr6ystvtdg',0,0.0,'bound/weight_norm',0.0);
INSERT INTO metrics VALUES(8,'0mwr6ystvtdg',0,0.0,'bound/weight_square',0.0);
INSERT INTO metrics VALUES(9,'0mwr6ystvtdg',0,0.0,'bound/rank',0.0);
INSERT INTO metrics VALUES(10,'0mwr6ystvtdg',0,0.0,'bound/mean_trace',0.49034641606517231915);
INSERT INTO metrics VALUES(11,'0mwr6ystvtdg',0,0.0,'bound/trace_spread',0.056277217861395632814);
INSERT INTO metrics VALUES(12,'0mwr6ystvtdg',0,0.0,'bound/lipschitz',3.71747589111328125);
INSERT INTO metrics VALUES(13,'0mwr6ystvtdg',0,0.0,'bound/rademacher',0.0);
INSERT INTO metrics VALUES(14,'0mwr6ystvtdg',0,0.0,'bound/worst_case',0.0);
INSERT INTO metrics VALUES(15,'0mwr6ystvtdg',0,0.0,'bound/dual_norm',0.0);
INSERT INTO metrics VALUES(16,'0mwr6ystvtdg',0,0.0,'bound/dual_norm_se',0.0);
INSERT INTO metrics VALUES(17,'0mwr6ystvtdg',0,0.0,'bound/complexity',0.0);
INSERT INTO metrics VALUES(18,'0mwr6ystvtdg',0,0.0,'bound/confidence',0.24982211477844551428);
INSERT INTO metrics VALUES(19,'0mwr6ystvtdg',0,0.0,'bound/total',0.24982211477844551428);
INSERT INTO metrics VALUES(20,'0mwr6ystvtdg',0,0.0,'bound/gap',-0.27173817157745361328);
INSERT INTO metrics VALUES(21,'0mwr6ystvtdg',1,1.0,'loss',0.98559814691543579101);
INSERT INTO metrics VALUES(22,'0mwr6ystvtdg',1,1.0,'feature_norm',0.49637606739997863769);
INSERT INTO metrics VALUES(23,'0mwr6ystvtdg',1,1.0,'trace_norm',0.019999897107481956481);
INSERT INTO metrics VALUES(24,'0mwr6ystvtdg',1,1.0,'objective',0.98560331067508089031);
INSERT INTO metrics VALUES(25,'0mwr6ystvtdg',1,1.0,'learning_rate',0.010000000000000000208);
INSERT INTO metrics VALUES(26,'0mwr6ystvtdg',1,1.0,'train_metric',0.72104510627573570324);
INSERT INTO metrics VALUES(27,'0mwr6ystvtdg',1,1.0,'test_metric',0.61219856307890962998);
INSERT INTO metrics VALUES(28,'0mwr6ystvtdg',1,1.0,'train_loss',0.99584251642227172851);
INSERT INTO metrics VALUES(29,'0mwr6ystvtdg',1,1.0,'test_loss',0.7178776860237121582);
INSERT INTO metrics VALUES(30,'0mwr6ystvtdg',1,1.0,'bound/empirical_risk',0.99584251642227172851);
INSERT INTO metrics VALUES(31,'0mwr6ystvtdg',1,1.0,'bound/zero_risk',0.9999999403953552246);
INSERT INTO metrics VALUES(32,'0mwr6ystvtdg',1,1.0,'bound/weight_norm',0.019999897107481956481);
INSERT INTO metrics VALUES(33,'0mwr6ystvtdg',1,1.0,'bound/weight_square',0.00039999588625505566596);
INSERT INTO metrics VALUES(34,'0mwr6ystvtdg',1,1.0,'bound/rank',1.0);
INSERT INTO metrics VALUES(35,'0mwr6ystvtdg',1,1.0,'bound/mean_trace',0.48868177408810298256);
INSERT INTO metrics VALUES(36,'0mwr6ystvtdg',1,1.0,'bound/trace_spread',0.055361523897198582078);
INSERT INTO metrics VALUES(37,'0mwr6ystvtdg',1,1.0,'bound/lipschitz',3.7154123783111572265);
INSERT INTO metrics VALUES(38,'0mwr6ystvtdg',1,1.0,'bound/rademacher',0.0020179955936754242172);
INSERT INTO metrics VALUES(39,'0mwr6ystvtdg',1,1.0,'bound/worst_case',0.0028867364946923812323);
INSERT INTO metrics VALUES(40,'0mwr6ystvtdg',1,1.0,'bound/dual_norm',0.0020980474125744529197);
INSERT INTO metrics VALUES(41,'0mwr6ystvtdg',1,1.0,'bound/dual_norm_se',0.00023233648510848355452);
INSERT INTO metrics VALUES(42,'0mwr6ystvtdg',1,1.0,'bound/complexity',0.042413315825016922877);
INSERT INTO metrics VALUES(43,'0mwr6ystvtdg',1,1.0,'bound/confidence',0.24982211477844551428);
INSERT INTO metrics VALUES(44,'0mwr6ystvtdg',1,1.0,'bound/total',0.29223543060346246491);
INSERT INTO metrics VALUES(45,'0mwr6ystvtdg',1,1.0,'bound/gap',-0.27796483039855957031);
CREATE TABLE snapshots (
	run_id VARCHAR NOT NULL, 
	step INTEGER NOT NULL, 
	epoch FLOAT NOT NULL, 
	PRIMARY KEY (run_id, step)
);
INSERT INTO snapshots VALUES('0mwr6ystvtdg',0,0.0);
INSERT INTO snapshots VALUES('0mwr6ystvtdg',1,1.0);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('metrics',45);
CREATE INDEX ix_metrics_run_id ON metrics (run_id);
COMMIT;
