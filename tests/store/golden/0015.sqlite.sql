BEGIN TRANSACTION;
CREATE TABLE aggregate (
	evaluation_id INTEGER NOT NULL, 
	measure_id INTEGER NOT NULL, 
	value DOUBLE NOT NULL, 
	spread DOUBLE, 
	queries INTEGER NOT NULL, 
	CONSTRAINT pk_aggregate PRIMARY KEY (evaluation_id, measure_id), 
	CONSTRAINT fk_aggregate_evaluation_id FOREIGN KEY(evaluation_id) REFERENCES evaluation (id) ON DELETE CASCADE, 
	CONSTRAINT fk_aggregate_measure_id FOREIGN KEY(measure_id) REFERENCES measure (id) ON DELETE CASCADE
)
 WITHOUT ROWID;
INSERT INTO "aggregate" VALUES(1,1,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,2,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,3,9.33333333333333348136e-01,2.58198889747161153263e-01,15);
INSERT INTO "aggregate" VALUES(1,4,1.0,0.0,15);
INSERT INTO "aggregate" VALUES(1,5,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,6,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,7,9.17507066187771669341e-01,8.96379997568387404394e-02,15);
INSERT INTO "aggregate" VALUES(1,8,9.17507066187771669341e-01,8.96379997568387404394e-02,15);
INSERT INTO "aggregate" VALUES(1,9,9.17507066187771669341e-01,8.96379997568387404394e-02,15);
INSERT INTO "aggregate" VALUES(1,10,9.17507066187771669341e-01,8.96379997568387404394e-02,15);
INSERT INTO "aggregate" VALUES(1,11,9.17507066187771669341e-01,8.96379997568387404394e-02,15);
INSERT INTO "aggregate" VALUES(1,12,4.83333333333333337034e-01,6.45497224367902883157e-02,15);
INSERT INTO "aggregate" VALUES(1,13,1.97333333333333332815e-01,1.03279555898864415508e-02,15);
INSERT INTO "aggregate" VALUES(1,14,9.33333333333333348136e-01,2.58198889747161153263e-01,15);
INSERT INTO "aggregate" VALUES(1,15,2.00000000000000038857e-01,5.74595004362039208419e-17,15);
INSERT INTO "aggregate" VALUES(1,16,1.00000000000000019428e-01,2.87297502181019604209e-17,15);
INSERT INTO "aggregate" VALUES(1,17,5.00000000000000097144e-02,1.43648751090509802104e-17,15);
INSERT INTO "aggregate" VALUES(1,18,3.33333333333333328707e-02,0.0,15);
INSERT INTO "aggregate" VALUES(1,19,0.01,0.0,15);
INSERT INTO "aggregate" VALUES(1,20,1.0,0.0,15);
INSERT INTO "aggregate" VALUES(1,21,1.0,0.0,15);
INSERT INTO "aggregate" VALUES(1,22,1.0,0.0,15);
INSERT INTO "aggregate" VALUES(1,23,1.0,0.0,15);
INSERT INTO "aggregate" VALUES(1,24,1.0,0.0,15);
INSERT INTO "aggregate" VALUES(1,25,9.33333333333333348136e-01,2.58198889747161153263e-01,15);
INSERT INTO "aggregate" VALUES(1,26,1.0,0.0,15);
INSERT INTO "aggregate" VALUES(1,27,1.0,0.0,15);
INSERT INTO "aggregate" VALUES(1,28,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,29,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,30,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,31,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,32,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,33,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,34,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,35,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,36,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,37,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,38,9.66666666666666674068e-01,1.29099444873580576631e-01,15);
INSERT INTO "aggregate" VALUES(1,39,9.4285714285714283811e-01,2.21313334068995309911e-01,15);
INSERT INTO "aggregate" VALUES(1,40,1.0,0.0,15);
INSERT INTO "aggregate" VALUES(1,41,0.95,1.9364916731037090658e-01,15);
INSERT INTO "aggregate" VALUES(1,42,21.0,1.54919333848296614242e+00,15);
INSERT INTO "aggregate" VALUES(1,43,15.0,0.0,15);
INSERT INTO "aggregate" VALUES(1,44,15.0,0.0,15);
INSERT INTO "aggregate" VALUES(2,1,7.77777777777777679091e-01,2.54587538608657792948e-01,3);
INSERT INTO "aggregate" VALUES(2,2,7.77777777777777679091e-01,2.54587538608657792948e-01,3);
INSERT INTO "aggregate" VALUES(2,3,0.5,0.5,3);
INSERT INTO "aggregate" VALUES(2,4,1.0,0.0,3);
INSERT INTO "aggregate" VALUES(2,5,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(2,6,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(2,7,8.6038805678709762148e-01,0.20026853972607,3);
INSERT INTO "aggregate" VALUES(2,8,8.6038805678709762148e-01,0.20026853972607,3);
INSERT INTO "aggregate" VALUES(2,9,8.6038805678709762148e-01,0.20026853972607,3);
INSERT INTO "aggregate" VALUES(2,10,8.6038805678709762148e-01,0.20026853972607,3);
INSERT INTO "aggregate" VALUES(2,11,8.6038805678709762148e-01,0.20026853972607,3);
INSERT INTO "aggregate" VALUES(2,12,3.39409722222222265397e-01,1.39519510180708461444e-01,3);
INSERT INTO "aggregate" VALUES(2,13,2.6133333333333325088e-01,1.00026663112058919469e-01,3);
INSERT INTO "aggregate" VALUES(2,14,6.66666666666666629659e-01,5.77350269189625842081e-01,3);
INSERT INTO "aggregate" VALUES(2,15,3.33333333333333314829e-01,1.15470053837925162865e-01,3);
INSERT INTO "aggregate" VALUES(2,16,1.66666666666666657414e-01,5.77350269189625814325e-02,3);
INSERT INTO "aggregate" VALUES(2,17,8.33333333333333287074e-02,2.88675134594812907162e-02,3);
INSERT INTO "aggregate" VALUES(2,18,5.55555555555555524716e-02,1.92450089729875248312e-02,3);
INSERT INTO "aggregate" VALUES(2,19,1.66666666666666664353e-02,5.77350269189625796978e-03,3);
INSERT INTO "aggregate" VALUES(2,20,1.0,0.0,3);
INSERT INTO "aggregate" VALUES(2,21,1.0,0.0,3);
INSERT INTO "aggregate" VALUES(2,22,1.0,0.0,3);
INSERT INTO "aggregate" VALUES(2,23,1.0,0.0,3);
INSERT INTO "aggregate" VALUES(2,24,1.0,0.0,3);
INSERT INTO "aggregate" VALUES(2,25,6.66666666666666629659e-01,5.77350269189625842081e-01,3);
INSERT INTO "aggregate" VALUES(2,26,1.0,0.0,3);
INSERT INTO "aggregate" VALUES(2,27,1.0,0.0,3);
INSERT INTO "aggregate" VALUES(2,28,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(2,29,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(2,30,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(2,31,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(2,32,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(2,33,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(2,34,7.22222222222222209886e-01,2.54587538608657792948e-01,3);
INSERT INTO "aggregate" VALUES(2,35,7.22222222222222209886e-01,2.54587538608657792948e-01,3);
INSERT INTO "aggregate" VALUES(2,36,7.22222222222222209886e-01,2.54587538608657792948e-01,3);
INSERT INTO "aggregate" VALUES(2,37,7.22222222222222209886e-01,2.54587538608657792948e-01,3);
INSERT INTO "aggregate" VALUES(2,38,7.22222222222222209886e-01,2.54587538608657792948e-01,3);
INSERT INTO "aggregate" VALUES(2,39,7.22222222222222209886e-01,2.54587538608657792948e-01,3);
INSERT INTO "aggregate" VALUES(2,40,1.0,0.0,3);
INSERT INTO "aggregate" VALUES(2,41,8.22222222222222298704e-01,1.67774098561572215793e-01,3);
INSERT INTO "aggregate" VALUES(2,42,7.0,5.77350269189625842081e-01,3);
INSERT INTO "aggregate" VALUES(2,43,5.0,5.77350269189625731058e-01,3);
INSERT INTO "aggregate" VALUES(2,44,5.0,5.77350269189625731058e-01,3);
INSERT INTO "aggregate" VALUES(3,1,6.9444444444444430875e-01,0.393817968854384,3);
INSERT INTO "aggregate" VALUES(3,2,6.9444444444444430875e-01,0.393817968854384,3);
INSERT INTO "aggregate" VALUES(3,3,6.66666666666666629659e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,4,6.66666666666666629659e-01,5.77350269189625842081e-01,3);
INSERT INTO "aggregate" VALUES(3,5,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,6,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,7,7.99781907428150140582e-01,2.80154518194066504133e-01,3);
INSERT INTO "aggregate" VALUES(3,8,7.99781907428150140582e-01,2.80154518194066504133e-01,3);
INSERT INTO "aggregate" VALUES(3,9,7.99781907428150140582e-01,2.80154518194066504133e-01,3);
INSERT INTO "aggregate" VALUES(3,10,7.99781907428150140582e-01,2.80154518194066504133e-01,3);
INSERT INTO "aggregate" VALUES(3,11,7.99781907428150140582e-01,2.80154518194066504133e-01,3);
INSERT INTO "aggregate" VALUES(3,12,4.07986111111111160454e-01,4.04655435416400921511e-01,3);
INSERT INTO "aggregate" VALUES(3,13,2.29333333333333305725e-01,0.0877572409168231,3);
INSERT INTO "aggregate" VALUES(3,14,6.66666666666666629659e-01,5.77350269189625842081e-01,3);
INSERT INTO "aggregate" VALUES(3,15,2.66666666666666662965e-01,1.15470053837925162865e-01,3);
INSERT INTO "aggregate" VALUES(3,16,1.33333333333333331482e-01,5.77350269189625814325e-02,3);
INSERT INTO "aggregate" VALUES(3,17,6.66666666666666657414e-02,2.88675134594812907162e-02,3);
INSERT INTO "aggregate" VALUES(3,18,4.44444444444444461406e-02,1.92450089729875248312e-02,3);
INSERT INTO "aggregate" VALUES(3,19,1.33333333333333341891e-02,5.77350269189625796978e-03,3);
INSERT INTO "aggregate" VALUES(3,20,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,21,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,22,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,23,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,24,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,25,6.66666666666666629659e-01,5.77350269189625842081e-01,3);
INSERT INTO "aggregate" VALUES(3,26,1.0,0.0,3);
INSERT INTO "aggregate" VALUES(3,27,1.0,0.0,3);
INSERT INTO "aggregate" VALUES(3,28,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,29,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,30,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,31,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,32,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,33,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,34,5.55555555555555469204e-01,5.09175077217315585897e-01,3);
INSERT INTO "aggregate" VALUES(3,35,5.55555555555555469204e-01,5.09175077217315585897e-01,3);
INSERT INTO "aggregate" VALUES(3,36,5.55555555555555469204e-01,5.09175077217315585897e-01,3);
INSERT INTO "aggregate" VALUES(3,37,5.55555555555555469204e-01,5.09175077217315585897e-01,3);
INSERT INTO "aggregate" VALUES(3,38,5.55555555555555469204e-01,5.09175077217315585897e-01,3);
INSERT INTO "aggregate" VALUES(3,39,7.22222222222222209886e-01,2.54587538608657792948e-01,3);
INSERT INTO "aggregate" VALUES(3,40,8.3333333333333337034e-01,2.88675134594812865529e-01,3);
INSERT INTO "aggregate" VALUES(3,41,7.66666666666666607454e-01,2.51661147842358323689e-01,3);
INSERT INTO "aggregate" VALUES(3,42,6.0,1.0,3);
INSERT INTO "aggregate" VALUES(3,43,5.0,5.77350269189625731058e-01,3);
INSERT INTO "aggregate" VALUES(3,44,4.0,5.77350269189625731058e-01,3);
INSERT INTO "aggregate" VALUES(3,45,4.44444444444444419772e-01,1.9245008972987526219e-01,3);
INSERT INTO "aggregate" VALUES(4,1,5.83333333333333259318e-01,4.4095855184409837868e-01,4);
INSERT INTO "aggregate" VALUES(4,2,5.83333333333333259318e-01,4.4095855184409837868e-01,4);
INSERT INTO "aggregate" VALUES(4,3,0.375,4.78713553878169051358e-01,4);
INSERT INTO "aggregate" VALUES(4,4,0.75,0.5,4);
INSERT INTO "aggregate" VALUES(4,5,0.625,4.78713553878169051358e-01,4);
INSERT INTO "aggregate" VALUES(4,6,0.625,4.78713553878169051358e-01,4);
INSERT INTO "aggregate" VALUES(4,7,6.4529104259032321611e-01,4.60223019199906824283e-01,4);
INSERT INTO "aggregate" VALUES(4,8,6.4529104259032321611e-01,4.60223019199906824283e-01,4);
INSERT INTO "aggregate" VALUES(4,9,6.4529104259032321611e-01,4.60223019199906824283e-01,4);
INSERT INTO "aggregate" VALUES(4,10,6.4529104259032321611e-01,4.60223019199906824283e-01,4);
INSERT INTO "aggregate" VALUES(4,11,6.4529104259032321611e-01,4.60223019199906824283e-01,4);
INSERT INTO "aggregate" VALUES(4,12,2.5455729166666668517e-01,2.04393906543512360318e-01,4);
INSERT INTO "aggregate" VALUES(4,13,1.95999999999999952038e-01,1.54090882274065726909e-01,4);
INSERT INTO "aggregate" VALUES(4,14,0.5,5.77350269189625731058e-01,4);
INSERT INTO "aggregate" VALUES(4,15,0.25,1.91485421551267631645e-01,4);
INSERT INTO "aggregate" VALUES(4,16,0.125,9.57427107756338158228e-02,4);
INSERT INTO "aggregate" VALUES(4,17,0.0625,4.78713553878169079114e-02,4);
INSERT INTO "aggregate" VALUES(4,18,4.16666666666666643537e-02,3.19142369252112742539e-02,4);
INSERT INTO "aggregate" VALUES(4,19,0.0125,9.57427107756338158228e-03,4);
INSERT INTO "aggregate" VALUES(4,20,0.75,0.5,4);
INSERT INTO "aggregate" VALUES(4,21,0.75,0.5,4);
INSERT INTO "aggregate" VALUES(4,22,0.75,0.5,4);
INSERT INTO "aggregate" VALUES(4,23,0.75,0.5,4);
INSERT INTO "aggregate" VALUES(4,24,0.75,0.5,4);
INSERT INTO "aggregate" VALUES(4,25,0.5,5.77350269189625731058e-01,4);
INSERT INTO "aggregate" VALUES(4,26,0.75,0.5,4);
INSERT INTO "aggregate" VALUES(4,27,0.75,0.5,4);
INSERT INTO "aggregate" VALUES(4,28,0.625,4.78713553878169051358e-01,4);
INSERT INTO "aggregate" VALUES(4,29,0.625,4.78713553878169051358e-01,4);
INSERT INTO "aggregate" VALUES(4,30,0.625,4.78713553878169051358e-01,4);
INSERT INTO "aggregate" VALUES(4,31,0.625,4.78713553878169051358e-01,4);
INSERT INTO "aggregate" VALUES(4,32,0.625,4.78713553878169051358e-01,4);
INSERT INTO "aggregate" VALUES(4,33,0.625,4.78713553878169051358e-01,4);
INSERT INTO "aggregate" VALUES(4,34,5.41666666666666629659e-01,4.16666666666666629659e-01,4);
INSERT INTO "aggregate" VALUES(4,35,5.41666666666666629659e-01,4.16666666666666629659e-01,4);
INSERT INTO "aggregate" VALUES(4,36,5.41666666666666629659e-01,4.16666666666666629659e-01,4);
INSERT INTO "aggregate" VALUES(4,37,5.41666666666666629659e-01,4.16666666666666629659e-01,4);
INSERT INTO "aggregate" VALUES(4,38,5.41666666666666629659e-01,4.16666666666666629659e-01,4);
INSERT INTO "aggregate" VALUES(4,39,5.41666666666666629659e-01,4.16666666666666629659e-01,4);
INSERT INTO "aggregate" VALUES(4,40,0.75,0.5,4);
INSERT INTO "aggregate" VALUES(4,41,6.16666666666666696272e-01,4.33333333333333348136e-01,4);
INSERT INTO "aggregate" VALUES(4,42,7.0,1.25830573921179156293e+00,4);
INSERT INTO "aggregate" VALUES(4,43,6.0,5.77350269189625731058e-01,4);
INSERT INTO "aggregate" VALUES(4,44,5.0,9.57427107756338102717e-01,4);
INSERT INTO "aggregate" VALUES(5,1,0.6111,5.35751462900475927675e-01,3);
INSERT INTO "aggregate" VALUES(5,15,2.66666666666666662965e-01,2.3094010767585032573e-01,3);
INSERT INTO "aggregate" VALUES(5,42,5.0,1.52752523165194675769e+00,3);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0015');
CREATE TABLE baseline (
	collection_id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	CONSTRAINT pk_baseline PRIMARY KEY (collection_id), 
	CONSTRAINT fk_baseline_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_baseline_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
);
INSERT INTO "baseline" VALUES(2,2);
CREATE TABLE "collection" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	documents BIGINT, 
	created_at DATETIME NOT NULL, 
	deleted_at DATETIME, access TEXT DEFAULT 'store' NOT NULL, measures TEXT, mappings JSON, 
	CONSTRAINT uq_collection_name UNIQUE (name)
);
INSERT INTO "collection" VALUES(1,'odd ✓',NULL,'2026-11-27 17:59:20.189067',NULL,'private',NULL,NULL);
INSERT INTO "collection" VALUES(2,'test',9,'2026-11-27 17:59:20.475718',NULL,'store','AP,nDCG(dcg=''exp-log2'')@10',NULL);
INSERT INTO "collection" VALUES(3,'gone',NULL,'2026-11-27 17:59:22.494684','2026-11-27 17:59:22.512141','store',NULL,NULL);
CREATE TABLE comment (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	run_id INTEGER, 
	query_id INTEGER, 
	who TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	text TEXT NOT NULL, 
	CONSTRAINT fk_comment_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_comment_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT fk_comment_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
);
INSERT INTO "comment" VALUES(1,2,2,NULL,'someone@somewhere','2026-11-27 17:59:22.583990','**why** ✓?');
INSERT INTO "comment" VALUES(2,2,NULL,16,'someone@somewhere','2026-11-27 17:59:22.594242','ü
- 1');
CREATE TABLE content (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	content_hash TEXT NOT NULL, 
	CONSTRAINT fk_content_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_content_collection_id_content_hash UNIQUE (collection_id, content_hash)
);
INSERT INTO "content" VALUES(1,1,'aaeaa9206e90f56af830737a7e32603851038b3c936ad0f72e9b1bb40d8503a2');
INSERT INTO "content" VALUES(2,2,'b68f2e5c3675ad63868fd53ab42ae9a7faaf2f7aec5ad1ec10eb0fa47d25488c');
INSERT INTO "content" VALUES(3,2,'14ae4ca3d8546fe01b279e3fa72ee3d25fd068fc195f1f0770cf46c59068057b');
INSERT INTO "content" VALUES(4,2,'252e03e5a88234a999785cd8c88cfa81994bb579abbbe2416ffd9b97a83211d6');
CREATE TABLE document (
	collection_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	title TEXT, 
	packed BLOB, 
	CONSTRAINT pk_document PRIMARY KEY (collection_id, docno), 
	CONSTRAINT fk_document_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE
);
INSERT INTO "document" VALUES(2,'d1','title',X'0074657874');
INSERT INTO "document" VALUES(2,'d2','ü',X'00');
INSERT INTO "document" VALUES(2,'d3','',X'0148893BBC47E1F02822020100AE66A07E');
CREATE TABLE "engine" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	CONSTRAINT uq_engine_name UNIQUE (name)
);
INSERT INTO "engine" VALUES(1,'t');
INSERT INTO "engine" VALUES(2,'bm25');
INSERT INTO "engine" VALUES(3,'tfidf');
INSERT INTO "engine" VALUES(4,'ü');
CREATE TABLE engine_slot (
	collection_id INTEGER NOT NULL, 
	engine_id INTEGER NOT NULL, 
	slot INTEGER NOT NULL, 
	CONSTRAINT pk_engine_slot PRIMARY KEY (collection_id, engine_id), 
	CONSTRAINT fk_engine_slot_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_engine_slot_engine_id FOREIGN KEY(engine_id) REFERENCES engine (id) ON DELETE CASCADE, 
	CONSTRAINT uq_engine_slot_collection_id_slot UNIQUE (collection_id, slot)
);
INSERT INTO "engine_slot" VALUES(1,1,0);
INSERT INTO "engine_slot" VALUES(2,2,0);
INSERT INTO "engine_slot" VALUES(2,3,1);
INSERT INTO "engine_slot" VALUES(2,4,2);
CREATE TABLE "evaluation" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	content_id INTEGER NOT NULL, 
	qrels_id INTEGER NOT NULL, 
	evaluator TEXT NOT NULL, 
	compat TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT fk_evaluation_qrels_id FOREIGN KEY(qrels_id) REFERENCES qrels (id) ON DELETE CASCADE, 
	CONSTRAINT fk_evaluation_content_id FOREIGN KEY(content_id) REFERENCES content (id) ON DELETE CASCADE, 
	CONSTRAINT uq_evaluation_content_id_qrels_id UNIQUE (content_id, qrels_id)
);
INSERT INTO "evaluation" VALUES(1,1,1,'0.1.0','exact','2026-11-27 17:59:20.382902');
INSERT INTO "evaluation" VALUES(2,2,2,'0.1.0','exact','2026-11-27 17:59:20.570122');
INSERT INTO "evaluation" VALUES(3,3,2,'0.1.0','exact','2026-11-27 17:59:20.662236');
INSERT INTO "evaluation" VALUES(4,2,3,'0.1.0','trec_eval-9','2026-11-27 17:59:20.761912');
INSERT INTO "evaluation" VALUES(5,4,2,'0.1.0','exact','2026-11-27 17:59:20.782174');
CREATE TABLE "event" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	at DATETIME NOT NULL, 
	who TEXT NOT NULL, 
	action TEXT NOT NULL, 
	collection TEXT, 
	subject TEXT NOT NULL, 
	details JSON
, collection_id INTEGER);
INSERT INTO "event" VALUES(1,'2026-11-27 17:59:20.189067','someone@somewhere','ingest','odd ✓','odd','{"kind": "qrels", "judgments": 30}',1);
INSERT INTO "event" VALUES(2,'2026-11-27 17:59:20.382902','someone@somewhere','ingest','odd ✓','odd','{"kind": "run", "status": "stored", "qrels": "odd"}',1);
INSERT INTO "event" VALUES(3,'2026-11-27 17:59:20.475718','someone@somewhere','ingest','test','test','{"kind": "qrels", "judgments": 6}',2);
INSERT INTO "event" VALUES(4,'2026-11-27 17:59:20.570122','someone@somewhere','ingest','test','bm25','{"kind": "run", "status": "stored", "qrels": "test"}',2);
INSERT INTO "event" VALUES(5,'2026-11-27 17:59:20.662236','someone@somewhere','ingest','test','tfidf','{"kind": "run", "status": "stored", "qrels": "test"}',2);
INSERT INTO "event" VALUES(6,'2026-11-27 17:59:20.734406','someone@somewhere','ingest','test','same as tfidf','{"kind": "run", "status": "stored", "qrels": "test", "same_as": "tfidf"}',2);
INSERT INTO "event" VALUES(7,'2026-11-27 17:59:20.752741','someone@somewhere','ingest','test','second','{"kind": "qrels", "judgments": 7}',2);
INSERT INTO "event" VALUES(8,'2026-11-27 17:59:20.761912','someone@somewhere','ingest','test','bm25','{"kind": "run", "status": "evaluated", "qrels": "second"}',2);
INSERT INTO "event" VALUES(9,'2026-11-27 17:59:20.782174','someone@somewhere','ingest','test','printed','{"kind": "run", "status": "stored", "qrels": "test"}',2);
INSERT INTO "event" VALUES(10,'2026-11-27 17:59:20.815443','someone@somewhere','measure','test','tfidf','{"qrels": "test", "measures": ["P@3"]}',2);
INSERT INTO "event" VALUES(11,'2026-11-27 17:59:22.286873','someone@somewhere','rank','odd ✓','odd','{"measures": ["AP", "P@5"]}',1);
INSERT INTO "event" VALUES(12,'2026-11-27 17:59:22.312643','someone@somewhere','rank','test','test','{"measures": ["AP", "P@5"]}',2);
INSERT INTO "event" VALUES(13,'2026-11-27 17:59:22.320862','someone@somewhere','tag','test','tfidf','{"added": ["paper"], "removed": []}',2);
INSERT INTO "event" VALUES(14,'2026-11-27 17:59:22.323508','someone@somewhere','annotate','test','bm25','{"parameters.k1": [null, 1e-05], "parameters.n ✓": [null, -0.0], "parameters.stem": [null, true], "parameters.text": [null, "a \"k1\": 7, {}"], "parameters.id": [null, "007"], "tags": [null, ["stage=dev", "ü"]], "note": [null, "# better\nthan *before*"], "commit": [null, "cccccccccccccccccccccccccccccccccccccccc"], "commit_dirty": [null, true], "host": [null, "a host"], "started_by": [null, "ann"], "started_at": [null, "2026-11-01T12:00:00+00:00"], "ended_at": [null, "2026-11-01T12:30:00.000005+00:00"], "command": [null, "search --k1 1e-05 ''a b''"], "index_version": [null, "2"], "collection_version": [null, "2026-10 ✓"], "header.tag": [null, "a"], "header.research goal.venue.name": [null, "ü"], "memory_bytes": [null, 1099511627776], "money": [null, 0.1], "currency": [null, "EUR"], "energy_joules": [null, 5e-324], "parent": [null, "tfidf"]}',2);
INSERT INTO "event" VALUES(15,'2026-11-27 17:59:22.400967','someone@somewhere','rm','test','tfidf',NULL,2);
INSERT INTO "event" VALUES(16,'2026-11-27 17:59:22.425092','someone@somewhere','facts','test','test','{"stored": ["subtopics", "known", "collection_size", "judgment_groups", "preferences"], "deleted": 0}',2);
INSERT INTO "event" VALUES(17,'2026-11-27 17:59:22.448895','someone@somewhere','facts','test','bm25','{"stored": ["times", "index_bytes"], "deleted": 0}',2);
INSERT INTO "event" VALUES(18,'2026-11-27 17:59:22.463436','someone@somewhere','ingest','test','third','{"kind": "qrels", "judgments": 1}',2);
INSERT INTO "event" VALUES(19,'2026-11-27 17:59:22.483932','someone@somewhere','rm','test','third','{"kind": "qrels"}',2);
INSERT INTO "event" VALUES(20,'2026-11-27 17:59:22.494684','someone@somewhere','ingest','gone','third','{"kind": "qrels", "judgments": 1}',3);
INSERT INTO "event" VALUES(21,'2026-11-27 17:59:22.500512','someone@somewhere','tag','test','test','{"kind": "queries", "changed": {"lang": 2, "n ✓": 1}}',2);
INSERT INTO "event" VALUES(22,'2026-11-27 17:59:22.511250','someone@somewhere','tag','odd ✓','odd ✓','{"kind": "queries", "changed": {"name ✓": 15}}',1);
INSERT INTO "event" VALUES(23,'2026-11-27 17:59:22.512141','someone@somewhere','rm','gone','gone','{"kind": "collection"}',3);
INSERT INTO "event" VALUES(24,'2026-11-27 17:59:22.551648','someone@somewhere','baseline','test','bm25','{"before": null}',2);
INSERT INTO "event" VALUES(25,'2026-11-27 17:59:22.558034','someone@somewhere','default','test','test','{"kind": "measures", "to": "AP,nDCG(dcg=''exp-log2'')@10", "before": "standard"}',2);
INSERT INTO "event" VALUES(26,'2026-11-27 17:59:22.563574','someone@somewhere','edit',NULL,'e1','{"kind": "experiment", "before": {"question": null, "conclusion": null}}',NULL);
INSERT INTO "event" VALUES(27,'2026-11-27 17:59:22.564618','someone@somewhere','new',NULL,'without runs','{"kind": "experiment"}',NULL);
INSERT INTO "event" VALUES(28,'2026-11-27 17:59:22.582707','someone@somewhere','view','test','main ✓','{"key": "jv6d"}',2);
INSERT INTO "event" VALUES(29,'2026-11-27 17:59:22.584898','someone@somewhere','comment','test','bm25','{"kind": "run", "comment": 1}',2);
INSERT INTO "event" VALUES(30,'2026-11-27 17:59:22.595154','someone@somewhere','comment','test','q1','{"kind": "query", "comment": 2}',2);
CREATE TABLE "experiment" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	created_at DATETIME NOT NULL, question TEXT, conclusion TEXT, 
	CONSTRAINT uq_experiment_name UNIQUE (name)
);
INSERT INTO "experiment" VALUES(1,'e1','2026-11-27 17:59:20.570122','*what* ✓?','nothing
much');
INSERT INTO "experiment" VALUES(2,'without runs','2026-11-27 17:59:22.564618','why?',NULL);
CREATE TABLE experiment_about (
	id INTEGER NOT NULL, 
	experiment_id INTEGER NOT NULL, 
	collection_id INTEGER, 
	CONSTRAINT pk_experiment_about PRIMARY KEY (id), 
	CONSTRAINT fk_experiment_about_experiment_id FOREIGN KEY(experiment_id) REFERENCES experiment (id) ON DELETE CASCADE, 
	CONSTRAINT fk_experiment_about_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE SET NULL
);
INSERT INTO "experiment_about" VALUES(1,1,2);
CREATE TABLE group_judgment (
	collection_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	judgment_group TEXT NOT NULL, 
	grade DOUBLE NOT NULL, 
	CONSTRAINT pk_group_judgment PRIMARY KEY (collection_id, query_id, docno, judgment_group), 
	CONSTRAINT fk_group_judgment_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_group_judgment_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID;
INSERT INTO "group_judgment" VALUES(2,16,'d1','ann',1.0);
INSERT INTO "group_judgment" VALUES(2,16,'d1','ü',0.5);
CREATE TABLE "hit" (
	evaluation_id INTEGER NOT NULL,
	query_id INTEGER NOT NULL,
	rank INTEGER NOT NULL,
	docno TEXT NOT NULL,
	grade DOUBLE NOT NULL,
	score DOUBLE NOT NULL,
	CONSTRAINT pk_hit PRIMARY KEY (evaluation_id, query_id, rank)
)
 WITHOUT ROWID;
INSERT INTO "hit" VALUES(1,1,1,'"quoted"',1.0,3.33333333333333348136e+00);
INSERT INTO "hit" VALUES(1,2,2,''';_DROP_TABLE_run;_--',1.0,1.0e+308);
INSERT INTO "hit" VALUES(1,3,1,'../../etc/passwd',1.0,1.0e+308);
INSERT INTO "hit" VALUES(1,4,1,'<script>alert(1)</script>',1.0,4.94065645841247e-324);
INSERT INTO "hit" VALUES(1,5,1,'=1+1',1.0,-1.0e-09);
INSERT INTO "hit" VALUES(1,6,1,'NULL',1.0,1.0e+308);
INSERT INTO "hit" VALUES(1,7,1,'__proto__',1.0,0.1);
INSERT INTO "hit" VALUES(1,8,1,'all',1.0,3.33333333333333348136e+00);
INSERT INTO "hit" VALUES(1,9,1,'café',1.0,0.1);
INSERT INTO "hit" VALUES(1,10,1,'café',1.0,4.94065645841247e-324);
INSERT INTO "hit" VALUES(1,11,1,'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',1.0,0.1);
INSERT INTO "hit" VALUES(1,12,1,'{{7*7}}%s%(x)s{0}',1.0,-1.23456789012345671677e+19);
INSERT INTO "hit" VALUES(1,13,1,'מנוע',1.0,-1.0e-09);
INSERT INTO "hit" VALUES(1,14,1,'‮gnp.exe',1.0,-1.23456789012345671677e+19);
INSERT INTO "hit" VALUES(1,15,1,'🦉🇦🇹👩‍🔬',1.0,3.33333333333333348136e+00);
INSERT INTO "hit" VALUES(2,16,1,'d1',2.0,99.0);
INSERT INTO "hit" VALUES(2,16,3,'d2',1.0,97.0);
INSERT INTO "hit" VALUES(2,18,1,'d5',1.0,99.0);
INSERT INTO "hit" VALUES(2,18,2,'d4',1.0,98.0);
INSERT INTO "hit" VALUES(2,19,2,'d6',3.0,98.0);
INSERT INTO "hit" VALUES(3,16,2,'d1',2.0,98.0);
INSERT INTO "hit" VALUES(3,18,1,'d5',1.0,99.0);
INSERT INTO "hit" VALUES(3,18,3,'d4',1.0,97.0);
INSERT INTO "hit" VALUES(3,19,1,'d6',3.0,99.0);
INSERT INTO "hit" VALUES(4,16,1,'d1',2.0,99.0);
INSERT INTO "hit" VALUES(4,16,3,'d2',1.0,97.0);
INSERT INTO "hit" VALUES(4,18,1,'d5',1.0,99.0);
INSERT INTO "hit" VALUES(4,18,2,'d4',1.0,98.0);
INSERT INTO "hit" VALUES(4,19,2,'d6',3.0,98.0);
CREATE TABLE judgment (
	qrels_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	grade DOUBLE NOT NULL, 
	CONSTRAINT pk_judgment PRIMARY KEY (qrels_id, query_id, docno), 
	CONSTRAINT fk_judgment_qrels_id FOREIGN KEY(qrels_id) REFERENCES qrels (id) ON DELETE CASCADE, 
	CONSTRAINT fk_judgment_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID;
INSERT INTO "judgment" VALUES(1,1,'"quoted"',1.0);
INSERT INTO "judgment" VALUES(1,1,'x',0.1);
INSERT INTO "judgment" VALUES(1,2,''';_DROP_TABLE_run;_--',1.0);
INSERT INTO "judgment" VALUES(1,2,'x',0.1);
INSERT INTO "judgment" VALUES(1,3,'../../etc/passwd',1.0);
INSERT INTO "judgment" VALUES(1,3,'x',0.1);
INSERT INTO "judgment" VALUES(1,4,'<script>alert(1)</script>',1.0);
INSERT INTO "judgment" VALUES(1,4,'x',0.1);
INSERT INTO "judgment" VALUES(1,5,'=1+1',1.0);
INSERT INTO "judgment" VALUES(1,5,'x',0.1);
INSERT INTO "judgment" VALUES(1,6,'NULL',1.0);
INSERT INTO "judgment" VALUES(1,6,'x',0.1);
INSERT INTO "judgment" VALUES(1,7,'__proto__',1.0);
INSERT INTO "judgment" VALUES(1,7,'x',0.1);
INSERT INTO "judgment" VALUES(1,8,'all',1.0);
INSERT INTO "judgment" VALUES(1,8,'x',0.1);
INSERT INTO "judgment" VALUES(1,9,'café',1.0);
INSERT INTO "judgment" VALUES(1,9,'x',0.1);
INSERT INTO "judgment" VALUES(1,10,'café',1.0);
INSERT INTO "judgment" VALUES(1,10,'x',0.1);
INSERT INTO "judgment" VALUES(1,11,'x',0.1);
INSERT INTO "judgment" VALUES(1,11,'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',1.0);
INSERT INTO "judgment" VALUES(1,12,'x',0.1);
INSERT INTO "judgment" VALUES(1,12,'{{7*7}}%s%(x)s{0}',1.0);
INSERT INTO "judgment" VALUES(1,13,'x',0.1);
INSERT INTO "judgment" VALUES(1,13,'מנוע',1.0);
INSERT INTO "judgment" VALUES(1,14,'x',0.1);
INSERT INTO "judgment" VALUES(1,14,'‮gnp.exe',1.0);
INSERT INTO "judgment" VALUES(1,15,'x',0.1);
INSERT INTO "judgment" VALUES(1,15,'🦉🇦🇹👩‍🔬',1.0);
INSERT INTO "judgment" VALUES(2,16,'d1',2.0);
INSERT INTO "judgment" VALUES(2,16,'d2',1.0);
INSERT INTO "judgment" VALUES(2,16,'d3',0.0);
INSERT INTO "judgment" VALUES(2,18,'d4',1.0);
INSERT INTO "judgment" VALUES(2,18,'d5',1.0);
INSERT INTO "judgment" VALUES(2,19,'d6',3.0);
INSERT INTO "judgment" VALUES(3,16,'d1',2.0);
INSERT INTO "judgment" VALUES(3,16,'d2',1.0);
INSERT INTO "judgment" VALUES(3,16,'d3',0.0);
INSERT INTO "judgment" VALUES(3,18,'d4',1.0);
INSERT INTO "judgment" VALUES(3,18,'d5',1.0);
INSERT INTO "judgment" VALUES(3,19,'d6',3.0);
INSERT INTO "judgment" VALUES(3,20,'d1',1.0);
INSERT INTO "judgment" VALUES(4,16,'d1',1.0);
INSERT INTO "judgment" VALUES(5,21,'d1',1.0);
CREATE TABLE known_document (
	collection_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	CONSTRAINT pk_known_document PRIMARY KEY (collection_id, query_id, docno), 
	CONSTRAINT fk_known_document_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_known_document_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID;
INSERT INTO "known_document" VALUES(2,16,'d1');
CREATE TABLE "measure" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	family TEXT NOT NULL, 
	direction SMALLINT NOT NULL, 
	aggregate TEXT NOT NULL, 
	CONSTRAINT uq_measure_name UNIQUE (name)
);
INSERT INTO "measure" VALUES(1,'AP','average precision',1,'mean');
INSERT INTO "measure" VALUES(2,'AP@100','average precision',1,'mean');
INSERT INTO "measure" VALUES(3,'Rprec','precision',1,'mean');
INSERT INTO "measure" VALUES(4,'Bpref','preference',1,'mean');
INSERT INTO "measure" VALUES(5,'RR','reciprocal rank',1,'mean');
INSERT INTO "measure" VALUES(6,'RR@10','reciprocal rank',1,'mean');
INSERT INTO "measure" VALUES(7,'nDCG','gain',1,'mean');
INSERT INTO "measure" VALUES(8,'nDCG@5','gain',1,'mean');
INSERT INTO "measure" VALUES(9,'nDCG@10','gain',1,'mean');
INSERT INTO "measure" VALUES(10,'nDCG@20','gain',1,'mean');
INSERT INTO "measure" VALUES(11,'nDCG@100','gain',1,'mean');
INSERT INTO "measure" VALUES(12,'ERR@20','user models',1,'mean');
INSERT INTO "measure" VALUES(13,'RBP','user models',1,'mean');
INSERT INTO "measure" VALUES(14,'P@1','precision',1,'mean');
INSERT INTO "measure" VALUES(15,'P@5','precision',1,'mean');
INSERT INTO "measure" VALUES(16,'P@10','precision',1,'mean');
INSERT INTO "measure" VALUES(17,'P@20','precision',1,'mean');
INSERT INTO "measure" VALUES(18,'P@30','precision',1,'mean');
INSERT INTO "measure" VALUES(19,'P@100','precision',1,'mean');
INSERT INTO "measure" VALUES(20,'R@10','precision',1,'mean');
INSERT INTO "measure" VALUES(21,'R@20','precision',1,'mean');
INSERT INTO "measure" VALUES(22,'R@50','precision',1,'mean');
INSERT INTO "measure" VALUES(23,'R@100','precision',1,'mean');
INSERT INTO "measure" VALUES(24,'R@1000','precision',1,'mean');
INSERT INTO "measure" VALUES(25,'Success@1','precision',1,'mean');
INSERT INTO "measure" VALUES(26,'Success@5','precision',1,'mean');
INSERT INTO "measure" VALUES(27,'Success@10','precision',1,'mean');
INSERT INTO "measure" VALUES(28,'IPrec@0.0','precision',1,'mean');
INSERT INTO "measure" VALUES(29,'IPrec@0.1','precision',1,'mean');
INSERT INTO "measure" VALUES(30,'IPrec@0.2','precision',1,'mean');
INSERT INTO "measure" VALUES(31,'IPrec@0.3','precision',1,'mean');
INSERT INTO "measure" VALUES(32,'IPrec@0.4','precision',1,'mean');
INSERT INTO "measure" VALUES(33,'IPrec@0.5','precision',1,'mean');
INSERT INTO "measure" VALUES(34,'IPrec@0.6','precision',1,'mean');
INSERT INTO "measure" VALUES(35,'IPrec@0.7','precision',1,'mean');
INSERT INTO "measure" VALUES(36,'IPrec@0.8','precision',1,'mean');
INSERT INTO "measure" VALUES(37,'IPrec@0.9','precision',1,'mean');
INSERT INTO "measure" VALUES(38,'IPrec@1.0','precision',1,'mean');
INSERT INTO "measure" VALUES(39,'SetP','sets',1,'mean');
INSERT INTO "measure" VALUES(40,'SetR','sets',1,'mean');
INSERT INTO "measure" VALUES(41,'SetF','sets',1,'mean');
INSERT INTO "measure" VALUES(42,'NumRet','counts',0,'sum');
INSERT INTO "measure" VALUES(43,'NumRel','counts',0,'sum');
INSERT INTO "measure" VALUES(44,'NumRelRet','counts',1,'sum');
INSERT INTO "measure" VALUES(45,'P@3','precision',1,'mean');
CREATE TABLE "measurement" (
	evaluation_id INTEGER NOT NULL,
	measure_id INTEGER NOT NULL,
	query_id INTEGER NOT NULL,
	value DOUBLE NOT NULL,
	CONSTRAINT pk_measurement PRIMARY KEY (evaluation_id, measure_id, query_id)
)
 WITHOUT ROWID;
INSERT INTO "measurement" VALUES(1,1,1,1.0);
INSERT INTO "measurement" VALUES(1,1,2,0.5);
INSERT INTO "measurement" VALUES(1,1,3,1.0);
INSERT INTO "measurement" VALUES(1,1,4,1.0);
INSERT INTO "measurement" VALUES(1,1,5,1.0);
INSERT INTO "measurement" VALUES(1,1,6,1.0);
INSERT INTO "measurement" VALUES(1,1,7,1.0);
INSERT INTO "measurement" VALUES(1,1,8,1.0);
INSERT INTO "measurement" VALUES(1,1,9,1.0);
INSERT INTO "measurement" VALUES(1,1,10,1.0);
INSERT INTO "measurement" VALUES(1,1,11,1.0);
INSERT INTO "measurement" VALUES(1,1,12,1.0);
INSERT INTO "measurement" VALUES(1,1,13,1.0);
INSERT INTO "measurement" VALUES(1,1,14,1.0);
INSERT INTO "measurement" VALUES(1,1,15,1.0);
INSERT INTO "measurement" VALUES(1,2,1,1.0);
INSERT INTO "measurement" VALUES(1,2,2,0.5);
INSERT INTO "measurement" VALUES(1,2,3,1.0);
INSERT INTO "measurement" VALUES(1,2,4,1.0);
INSERT INTO "measurement" VALUES(1,2,5,1.0);
INSERT INTO "measurement" VALUES(1,2,6,1.0);
INSERT INTO "measurement" VALUES(1,2,7,1.0);
INSERT INTO "measurement" VALUES(1,2,8,1.0);
INSERT INTO "measurement" VALUES(1,2,9,1.0);
INSERT INTO "measurement" VALUES(1,2,10,1.0);
INSERT INTO "measurement" VALUES(1,2,11,1.0);
INSERT INTO "measurement" VALUES(1,2,12,1.0);
INSERT INTO "measurement" VALUES(1,2,13,1.0);
INSERT INTO "measurement" VALUES(1,2,14,1.0);
INSERT INTO "measurement" VALUES(1,2,15,1.0);
INSERT INTO "measurement" VALUES(1,3,1,1.0);
INSERT INTO "measurement" VALUES(1,3,2,0.0);
INSERT INTO "measurement" VALUES(1,3,3,1.0);
INSERT INTO "measurement" VALUES(1,3,4,1.0);
INSERT INTO "measurement" VALUES(1,3,5,1.0);
INSERT INTO "measurement" VALUES(1,3,6,1.0);
INSERT INTO "measurement" VALUES(1,3,7,1.0);
INSERT INTO "measurement" VALUES(1,3,8,1.0);
INSERT INTO "measurement" VALUES(1,3,9,1.0);
INSERT INTO "measurement" VALUES(1,3,10,1.0);
INSERT INTO "measurement" VALUES(1,3,11,1.0);
INSERT INTO "measurement" VALUES(1,3,12,1.0);
INSERT INTO "measurement" VALUES(1,3,13,1.0);
INSERT INTO "measurement" VALUES(1,3,14,1.0);
INSERT INTO "measurement" VALUES(1,3,15,1.0);
INSERT INTO "measurement" VALUES(1,4,1,1.0);
INSERT INTO "measurement" VALUES(1,4,2,1.0);
INSERT INTO "measurement" VALUES(1,4,3,1.0);
INSERT INTO "measurement" VALUES(1,4,4,1.0);
INSERT INTO "measurement" VALUES(1,4,5,1.0);
INSERT INTO "measurement" VALUES(1,4,6,1.0);
INSERT INTO "measurement" VALUES(1,4,7,1.0);
INSERT INTO "measurement" VALUES(1,4,8,1.0);
INSERT INTO "measurement" VALUES(1,4,9,1.0);
INSERT INTO "measurement" VALUES(1,4,10,1.0);
INSERT INTO "measurement" VALUES(1,4,11,1.0);
INSERT INTO "measurement" VALUES(1,4,12,1.0);
INSERT INTO "measurement" VALUES(1,4,13,1.0);
INSERT INTO "measurement" VALUES(1,4,14,1.0);
INSERT INTO "measurement" VALUES(1,4,15,1.0);
INSERT INTO "measurement" VALUES(1,5,1,1.0);
INSERT INTO "measurement" VALUES(1,5,2,0.5);
INSERT INTO "measurement" VALUES(1,5,3,1.0);
INSERT INTO "measurement" VALUES(1,5,4,1.0);
INSERT INTO "measurement" VALUES(1,5,5,1.0);
INSERT INTO "measurement" VALUES(1,5,6,1.0);
INSERT INTO "measurement" VALUES(1,5,7,1.0);
INSERT INTO "measurement" VALUES(1,5,8,1.0);
INSERT INTO "measurement" VALUES(1,5,9,1.0);
INSERT INTO "measurement" VALUES(1,5,10,1.0);
INSERT INTO "measurement" VALUES(1,5,11,1.0);
INSERT INTO "measurement" VALUES(1,5,12,1.0);
INSERT INTO "measurement" VALUES(1,5,13,1.0);
INSERT INTO "measurement" VALUES(1,5,14,1.0);
INSERT INTO "measurement" VALUES(1,5,15,1.0);
INSERT INTO "measurement" VALUES(1,6,1,1.0);
INSERT INTO "measurement" VALUES(1,6,2,0.5);
INSERT INTO "measurement" VALUES(1,6,3,1.0);
INSERT INTO "measurement" VALUES(1,6,4,1.0);
INSERT INTO "measurement" VALUES(1,6,5,1.0);
INSERT INTO "measurement" VALUES(1,6,6,1.0);
INSERT INTO "measurement" VALUES(1,6,7,1.0);
INSERT INTO "measurement" VALUES(1,6,8,1.0);
INSERT INTO "measurement" VALUES(1,6,9,1.0);
INSERT INTO "measurement" VALUES(1,6,10,1.0);
INSERT INTO "measurement" VALUES(1,6,11,1.0);
INSERT INTO "measurement" VALUES(1,6,12,1.0);
INSERT INTO "measurement" VALUES(1,6,13,1.0);
INSERT INTO "measurement" VALUES(1,6,14,1.0);
INSERT INTO "measurement" VALUES(1,6,15,1.0);
INSERT INTO "measurement" VALUES(1,7,1,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,2,5.93485017958562677264e-01);
INSERT INTO "measurement" VALUES(1,7,3,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,4,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,5,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,6,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,7,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,8,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,9,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,10,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,11,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,12,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,13,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,14,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,7,15,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,1,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,2,5.93485017958562677264e-01);
INSERT INTO "measurement" VALUES(1,8,3,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,4,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,5,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,6,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,7,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,8,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,9,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,10,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,11,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,12,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,13,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,14,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,8,15,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,1,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,2,5.93485017958562677264e-01);
INSERT INTO "measurement" VALUES(1,9,3,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,4,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,5,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,6,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,7,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,8,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,9,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,10,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,11,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,12,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,13,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,14,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,9,15,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,1,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,2,5.93485017958562677264e-01);
INSERT INTO "measurement" VALUES(1,10,3,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,4,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,5,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,6,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,7,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,8,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,9,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,10,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,11,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,12,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,13,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,14,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,10,15,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,1,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,2,5.93485017958562677264e-01);
INSERT INTO "measurement" VALUES(1,11,3,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,4,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,5,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,6,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,7,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,8,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,9,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,10,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,11,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,12,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,13,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,14,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,11,15,9.40651498204143621251e-01);
INSERT INTO "measurement" VALUES(1,12,1,0.5);
INSERT INTO "measurement" VALUES(1,12,2,0.25);
INSERT INTO "measurement" VALUES(1,12,3,0.5);
INSERT INTO "measurement" VALUES(1,12,4,0.5);
INSERT INTO "measurement" VALUES(1,12,5,0.5);
INSERT INTO "measurement" VALUES(1,12,6,0.5);
INSERT INTO "measurement" VALUES(1,12,7,0.5);
INSERT INTO "measurement" VALUES(1,12,8,0.5);
INSERT INTO "measurement" VALUES(1,12,9,0.5);
INSERT INTO "measurement" VALUES(1,12,10,0.5);
INSERT INTO "measurement" VALUES(1,12,11,0.5);
INSERT INTO "measurement" VALUES(1,12,12,0.5);
INSERT INTO "measurement" VALUES(1,12,13,0.5);
INSERT INTO "measurement" VALUES(1,12,14,0.5);
INSERT INTO "measurement" VALUES(1,12,15,0.5);
INSERT INTO "measurement" VALUES(1,13,1,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,2,1.59999999999999975575e-01);
INSERT INTO "measurement" VALUES(1,13,3,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,4,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,5,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,6,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,7,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,8,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,9,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,10,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,11,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,12,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,13,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,14,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,13,15,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(1,14,1,1.0);
INSERT INTO "measurement" VALUES(1,14,2,0.0);
INSERT INTO "measurement" VALUES(1,14,3,1.0);
INSERT INTO "measurement" VALUES(1,14,4,1.0);
INSERT INTO "measurement" VALUES(1,14,5,1.0);
INSERT INTO "measurement" VALUES(1,14,6,1.0);
INSERT INTO "measurement" VALUES(1,14,7,1.0);
INSERT INTO "measurement" VALUES(1,14,8,1.0);
INSERT INTO "measurement" VALUES(1,14,9,1.0);
INSERT INTO "measurement" VALUES(1,14,10,1.0);
INSERT INTO "measurement" VALUES(1,14,11,1.0);
INSERT INTO "measurement" VALUES(1,14,12,1.0);
INSERT INTO "measurement" VALUES(1,14,13,1.0);
INSERT INTO "measurement" VALUES(1,14,14,1.0);
INSERT INTO "measurement" VALUES(1,14,15,1.0);
INSERT INTO "measurement" VALUES(1,15,1,0.2);
INSERT INTO "measurement" VALUES(1,15,2,0.2);
INSERT INTO "measurement" VALUES(1,15,3,0.2);
INSERT INTO "measurement" VALUES(1,15,4,0.2);
INSERT INTO "measurement" VALUES(1,15,5,0.2);
INSERT INTO "measurement" VALUES(1,15,6,0.2);
INSERT INTO "measurement" VALUES(1,15,7,0.2);
INSERT INTO "measurement" VALUES(1,15,8,0.2);
INSERT INTO "measurement" VALUES(1,15,9,0.2);
INSERT INTO "measurement" VALUES(1,15,10,0.2);
INSERT INTO "measurement" VALUES(1,15,11,0.2);
INSERT INTO "measurement" VALUES(1,15,12,0.2);
INSERT INTO "measurement" VALUES(1,15,13,0.2);
INSERT INTO "measurement" VALUES(1,15,14,0.2);
INSERT INTO "measurement" VALUES(1,15,15,0.2);
INSERT INTO "measurement" VALUES(1,16,1,0.1);
INSERT INTO "measurement" VALUES(1,16,2,0.1);
INSERT INTO "measurement" VALUES(1,16,3,0.1);
INSERT INTO "measurement" VALUES(1,16,4,0.1);
INSERT INTO "measurement" VALUES(1,16,5,0.1);
INSERT INTO "measurement" VALUES(1,16,6,0.1);
INSERT INTO "measurement" VALUES(1,16,7,0.1);
INSERT INTO "measurement" VALUES(1,16,8,0.1);
INSERT INTO "measurement" VALUES(1,16,9,0.1);
INSERT INTO "measurement" VALUES(1,16,10,0.1);
INSERT INTO "measurement" VALUES(1,16,11,0.1);
INSERT INTO "measurement" VALUES(1,16,12,0.1);
INSERT INTO "measurement" VALUES(1,16,13,0.1);
INSERT INTO "measurement" VALUES(1,16,14,0.1);
INSERT INTO "measurement" VALUES(1,16,15,0.1);
INSERT INTO "measurement" VALUES(1,17,1,0.05);
INSERT INTO "measurement" VALUES(1,17,2,0.05);
INSERT INTO "measurement" VALUES(1,17,3,0.05);
INSERT INTO "measurement" VALUES(1,17,4,0.05);
INSERT INTO "measurement" VALUES(1,17,5,0.05);
INSERT INTO "measurement" VALUES(1,17,6,0.05);
INSERT INTO "measurement" VALUES(1,17,7,0.05);
INSERT INTO "measurement" VALUES(1,17,8,0.05);
INSERT INTO "measurement" VALUES(1,17,9,0.05);
INSERT INTO "measurement" VALUES(1,17,10,0.05);
INSERT INTO "measurement" VALUES(1,17,11,0.05);
INSERT INTO "measurement" VALUES(1,17,12,0.05);
INSERT INTO "measurement" VALUES(1,17,13,0.05);
INSERT INTO "measurement" VALUES(1,17,14,0.05);
INSERT INTO "measurement" VALUES(1,17,15,0.05);
INSERT INTO "measurement" VALUES(1,18,1,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,2,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,3,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,4,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,5,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,6,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,7,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,8,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,9,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,10,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,11,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,12,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,13,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,14,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,18,15,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(1,19,1,0.01);
INSERT INTO "measurement" VALUES(1,19,2,0.01);
INSERT INTO "measurement" VALUES(1,19,3,0.01);
INSERT INTO "measurement" VALUES(1,19,4,0.01);
INSERT INTO "measurement" VALUES(1,19,5,0.01);
INSERT INTO "measurement" VALUES(1,19,6,0.01);
INSERT INTO "measurement" VALUES(1,19,7,0.01);
INSERT INTO "measurement" VALUES(1,19,8,0.01);
INSERT INTO "measurement" VALUES(1,19,9,0.01);
INSERT INTO "measurement" VALUES(1,19,10,0.01);
INSERT INTO "measurement" VALUES(1,19,11,0.01);
INSERT INTO "measurement" VALUES(1,19,12,0.01);
INSERT INTO "measurement" VALUES(1,19,13,0.01);
INSERT INTO "measurement" VALUES(1,19,14,0.01);
INSERT INTO "measurement" VALUES(1,19,15,0.01);
INSERT INTO "measurement" VALUES(1,20,1,1.0);
INSERT INTO "measurement" VALUES(1,20,2,1.0);
INSERT INTO "measurement" VALUES(1,20,3,1.0);
INSERT INTO "measurement" VALUES(1,20,4,1.0);
INSERT INTO "measurement" VALUES(1,20,5,1.0);
INSERT INTO "measurement" VALUES(1,20,6,1.0);
INSERT INTO "measurement" VALUES(1,20,7,1.0);
INSERT INTO "measurement" VALUES(1,20,8,1.0);
INSERT INTO "measurement" VALUES(1,20,9,1.0);
INSERT INTO "measurement" VALUES(1,20,10,1.0);
INSERT INTO "measurement" VALUES(1,20,11,1.0);
INSERT INTO "measurement" VALUES(1,20,12,1.0);
INSERT INTO "measurement" VALUES(1,20,13,1.0);
INSERT INTO "measurement" VALUES(1,20,14,1.0);
INSERT INTO "measurement" VALUES(1,20,15,1.0);
INSERT INTO "measurement" VALUES(1,21,1,1.0);
INSERT INTO "measurement" VALUES(1,21,2,1.0);
INSERT INTO "measurement" VALUES(1,21,3,1.0);
INSERT INTO "measurement" VALUES(1,21,4,1.0);
INSERT INTO "measurement" VALUES(1,21,5,1.0);
INSERT INTO "measurement" VALUES(1,21,6,1.0);
INSERT INTO "measurement" VALUES(1,21,7,1.0);
INSERT INTO "measurement" VALUES(1,21,8,1.0);
INSERT INTO "measurement" VALUES(1,21,9,1.0);
INSERT INTO "measurement" VALUES(1,21,10,1.0);
INSERT INTO "measurement" VALUES(1,21,11,1.0);
INSERT INTO "measurement" VALUES(1,21,12,1.0);
INSERT INTO "measurement" VALUES(1,21,13,1.0);
INSERT INTO "measurement" VALUES(1,21,14,1.0);
INSERT INTO "measurement" VALUES(1,21,15,1.0);
INSERT INTO "measurement" VALUES(1,22,1,1.0);
INSERT INTO "measurement" VALUES(1,22,2,1.0);
INSERT INTO "measurement" VALUES(1,22,3,1.0);
INSERT INTO "measurement" VALUES(1,22,4,1.0);
INSERT INTO "measurement" VALUES(1,22,5,1.0);
INSERT INTO "measurement" VALUES(1,22,6,1.0);
INSERT INTO "measurement" VALUES(1,22,7,1.0);
INSERT INTO "measurement" VALUES(1,22,8,1.0);
INSERT INTO "measurement" VALUES(1,22,9,1.0);
INSERT INTO "measurement" VALUES(1,22,10,1.0);
INSERT INTO "measurement" VALUES(1,22,11,1.0);
INSERT INTO "measurement" VALUES(1,22,12,1.0);
INSERT INTO "measurement" VALUES(1,22,13,1.0);
INSERT INTO "measurement" VALUES(1,22,14,1.0);
INSERT INTO "measurement" VALUES(1,22,15,1.0);
INSERT INTO "measurement" VALUES(1,23,1,1.0);
INSERT INTO "measurement" VALUES(1,23,2,1.0);
INSERT INTO "measurement" VALUES(1,23,3,1.0);
INSERT INTO "measurement" VALUES(1,23,4,1.0);
INSERT INTO "measurement" VALUES(1,23,5,1.0);
INSERT INTO "measurement" VALUES(1,23,6,1.0);
INSERT INTO "measurement" VALUES(1,23,7,1.0);
INSERT INTO "measurement" VALUES(1,23,8,1.0);
INSERT INTO "measurement" VALUES(1,23,9,1.0);
INSERT INTO "measurement" VALUES(1,23,10,1.0);
INSERT INTO "measurement" VALUES(1,23,11,1.0);
INSERT INTO "measurement" VALUES(1,23,12,1.0);
INSERT INTO "measurement" VALUES(1,23,13,1.0);
INSERT INTO "measurement" VALUES(1,23,14,1.0);
INSERT INTO "measurement" VALUES(1,23,15,1.0);
INSERT INTO "measurement" VALUES(1,24,1,1.0);
INSERT INTO "measurement" VALUES(1,24,2,1.0);
INSERT INTO "measurement" VALUES(1,24,3,1.0);
INSERT INTO "measurement" VALUES(1,24,4,1.0);
INSERT INTO "measurement" VALUES(1,24,5,1.0);
INSERT INTO "measurement" VALUES(1,24,6,1.0);
INSERT INTO "measurement" VALUES(1,24,7,1.0);
INSERT INTO "measurement" VALUES(1,24,8,1.0);
INSERT INTO "measurement" VALUES(1,24,9,1.0);
INSERT INTO "measurement" VALUES(1,24,10,1.0);
INSERT INTO "measurement" VALUES(1,24,11,1.0);
INSERT INTO "measurement" VALUES(1,24,12,1.0);
INSERT INTO "measurement" VALUES(1,24,13,1.0);
INSERT INTO "measurement" VALUES(1,24,14,1.0);
INSERT INTO "measurement" VALUES(1,24,15,1.0);
INSERT INTO "measurement" VALUES(1,25,1,1.0);
INSERT INTO "measurement" VALUES(1,25,2,0.0);
INSERT INTO "measurement" VALUES(1,25,3,1.0);
INSERT INTO "measurement" VALUES(1,25,4,1.0);
INSERT INTO "measurement" VALUES(1,25,5,1.0);
INSERT INTO "measurement" VALUES(1,25,6,1.0);
INSERT INTO "measurement" VALUES(1,25,7,1.0);
INSERT INTO "measurement" VALUES(1,25,8,1.0);
INSERT INTO "measurement" VALUES(1,25,9,1.0);
INSERT INTO "measurement" VALUES(1,25,10,1.0);
INSERT INTO "measurement" VALUES(1,25,11,1.0);
INSERT INTO "measurement" VALUES(1,25,12,1.0);
INSERT INTO "measurement" VALUES(1,25,13,1.0);
INSERT INTO "measurement" VALUES(1,25,14,1.0);
INSERT INTO "measurement" VALUES(1,25,15,1.0);
INSERT INTO "measurement" VALUES(1,26,1,1.0);
INSERT INTO "measurement" VALUES(1,26,2,1.0);
INSERT INTO "measurement" VALUES(1,26,3,1.0);
INSERT INTO "measurement" VALUES(1,26,4,1.0);
INSERT INTO "measurement" VALUES(1,26,5,1.0);
INSERT INTO "measurement" VALUES(1,26,6,1.0);
INSERT INTO "measurement" VALUES(1,26,7,1.0);
INSERT INTO "measurement" VALUES(1,26,8,1.0);
INSERT INTO "measurement" VALUES(1,26,9,1.0);
INSERT INTO "measurement" VALUES(1,26,10,1.0);
INSERT INTO "measurement" VALUES(1,26,11,1.0);
INSERT INTO "measurement" VALUES(1,26,12,1.0);
INSERT INTO "measurement" VALUES(1,26,13,1.0);
INSERT INTO "measurement" VALUES(1,26,14,1.0);
INSERT INTO "measurement" VALUES(1,26,15,1.0);
INSERT INTO "measurement" VALUES(1,27,1,1.0);
INSERT INTO "measurement" VALUES(1,27,2,1.0);
INSERT INTO "measurement" VALUES(1,27,3,1.0);
INSERT INTO "measurement" VALUES(1,27,4,1.0);
INSERT INTO "measurement" VALUES(1,27,5,1.0);
INSERT INTO "measurement" VALUES(1,27,6,1.0);
INSERT INTO "measurement" VALUES(1,27,7,1.0);
INSERT INTO "measurement" VALUES(1,27,8,1.0);
INSERT INTO "measurement" VALUES(1,27,9,1.0);
INSERT INTO "measurement" VALUES(1,27,10,1.0);
INSERT INTO "measurement" VALUES(1,27,11,1.0);
INSERT INTO "measurement" VALUES(1,27,12,1.0);
INSERT INTO "measurement" VALUES(1,27,13,1.0);
INSERT INTO "measurement" VALUES(1,27,14,1.0);
INSERT INTO "measurement" VALUES(1,27,15,1.0);
INSERT INTO "measurement" VALUES(1,28,1,1.0);
INSERT INTO "measurement" VALUES(1,28,2,0.5);
INSERT INTO "measurement" VALUES(1,28,3,1.0);
INSERT INTO "measurement" VALUES(1,28,4,1.0);
INSERT INTO "measurement" VALUES(1,28,5,1.0);
INSERT INTO "measurement" VALUES(1,28,6,1.0);
INSERT INTO "measurement" VALUES(1,28,7,1.0);
INSERT INTO "measurement" VALUES(1,28,8,1.0);
INSERT INTO "measurement" VALUES(1,28,9,1.0);
INSERT INTO "measurement" VALUES(1,28,10,1.0);
INSERT INTO "measurement" VALUES(1,28,11,1.0);
INSERT INTO "measurement" VALUES(1,28,12,1.0);
INSERT INTO "measurement" VALUES(1,28,13,1.0);
INSERT INTO "measurement" VALUES(1,28,14,1.0);
INSERT INTO "measurement" VALUES(1,28,15,1.0);
INSERT INTO "measurement" VALUES(1,29,1,1.0);
INSERT INTO "measurement" VALUES(1,29,2,0.5);
INSERT INTO "measurement" VALUES(1,29,3,1.0);
INSERT INTO "measurement" VALUES(1,29,4,1.0);
INSERT INTO "measurement" VALUES(1,29,5,1.0);
INSERT INTO "measurement" VALUES(1,29,6,1.0);
INSERT INTO "measurement" VALUES(1,29,7,1.0);
INSERT INTO "measurement" VALUES(1,29,8,1.0);
INSERT INTO "measurement" VALUES(1,29,9,1.0);
INSERT INTO "measurement" VALUES(1,29,10,1.0);
INSERT INTO "measurement" VALUES(1,29,11,1.0);
INSERT INTO "measurement" VALUES(1,29,12,1.0);
INSERT INTO "measurement" VALUES(1,29,13,1.0);
INSERT INTO "measurement" VALUES(1,29,14,1.0);
INSERT INTO "measurement" VALUES(1,29,15,1.0);
INSERT INTO "measurement" VALUES(1,30,1,1.0);
INSERT INTO "measurement" VALUES(1,30,2,0.5);
INSERT INTO "measurement" VALUES(1,30,3,1.0);
INSERT INTO "measurement" VALUES(1,30,4,1.0);
INSERT INTO "measurement" VALUES(1,30,5,1.0);
INSERT INTO "measurement" VALUES(1,30,6,1.0);
INSERT INTO "measurement" VALUES(1,30,7,1.0);
INSERT INTO "measurement" VALUES(1,30,8,1.0);
INSERT INTO "measurement" VALUES(1,30,9,1.0);
INSERT INTO "measurement" VALUES(1,30,10,1.0);
INSERT INTO "measurement" VALUES(1,30,11,1.0);
INSERT INTO "measurement" VALUES(1,30,12,1.0);
INSERT INTO "measurement" VALUES(1,30,13,1.0);
INSERT INTO "measurement" VALUES(1,30,14,1.0);
INSERT INTO "measurement" VALUES(1,30,15,1.0);
INSERT INTO "measurement" VALUES(1,31,1,1.0);
INSERT INTO "measurement" VALUES(1,31,2,0.5);
INSERT INTO "measurement" VALUES(1,31,3,1.0);
INSERT INTO "measurement" VALUES(1,31,4,1.0);
INSERT INTO "measurement" VALUES(1,31,5,1.0);
INSERT INTO "measurement" VALUES(1,31,6,1.0);
INSERT INTO "measurement" VALUES(1,31,7,1.0);
INSERT INTO "measurement" VALUES(1,31,8,1.0);
INSERT INTO "measurement" VALUES(1,31,9,1.0);
INSERT INTO "measurement" VALUES(1,31,10,1.0);
INSERT INTO "measurement" VALUES(1,31,11,1.0);
INSERT INTO "measurement" VALUES(1,31,12,1.0);
INSERT INTO "measurement" VALUES(1,31,13,1.0);
INSERT INTO "measurement" VALUES(1,31,14,1.0);
INSERT INTO "measurement" VALUES(1,31,15,1.0);
INSERT INTO "measurement" VALUES(1,32,1,1.0);
INSERT INTO "measurement" VALUES(1,32,2,0.5);
INSERT INTO "measurement" VALUES(1,32,3,1.0);
INSERT INTO "measurement" VALUES(1,32,4,1.0);
INSERT INTO "measurement" VALUES(1,32,5,1.0);
INSERT INTO "measurement" VALUES(1,32,6,1.0);
INSERT INTO "measurement" VALUES(1,32,7,1.0);
INSERT INTO "measurement" VALUES(1,32,8,1.0);
INSERT INTO "measurement" VALUES(1,32,9,1.0);
INSERT INTO "measurement" VALUES(1,32,10,1.0);
INSERT INTO "measurement" VALUES(1,32,11,1.0);
INSERT INTO "measurement" VALUES(1,32,12,1.0);
INSERT INTO "measurement" VALUES(1,32,13,1.0);
INSERT INTO "measurement" VALUES(1,32,14,1.0);
INSERT INTO "measurement" VALUES(1,32,15,1.0);
INSERT INTO "measurement" VALUES(1,33,1,1.0);
INSERT INTO "measurement" VALUES(1,33,2,0.5);
INSERT INTO "measurement" VALUES(1,33,3,1.0);
INSERT INTO "measurement" VALUES(1,33,4,1.0);
INSERT INTO "measurement" VALUES(1,33,5,1.0);
INSERT INTO "measurement" VALUES(1,33,6,1.0);
INSERT INTO "measurement" VALUES(1,33,7,1.0);
INSERT INTO "measurement" VALUES(1,33,8,1.0);
INSERT INTO "measurement" VALUES(1,33,9,1.0);
INSERT INTO "measurement" VALUES(1,33,10,1.0);
INSERT INTO "measurement" VALUES(1,33,11,1.0);
INSERT INTO "measurement" VALUES(1,33,12,1.0);
INSERT INTO "measurement" VALUES(1,33,13,1.0);
INSERT INTO "measurement" VALUES(1,33,14,1.0);
INSERT INTO "measurement" VALUES(1,33,15,1.0);
INSERT INTO "measurement" VALUES(1,34,1,1.0);
INSERT INTO "measurement" VALUES(1,34,2,0.5);
INSERT INTO "measurement" VALUES(1,34,3,1.0);
INSERT INTO "measurement" VALUES(1,34,4,1.0);
INSERT INTO "measurement" VALUES(1,34,5,1.0);
INSERT INTO "measurement" VALUES(1,34,6,1.0);
INSERT INTO "measurement" VALUES(1,34,7,1.0);
INSERT INTO "measurement" VALUES(1,34,8,1.0);
INSERT INTO "measurement" VALUES(1,34,9,1.0);
INSERT INTO "measurement" VALUES(1,34,10,1.0);
INSERT INTO "measurement" VALUES(1,34,11,1.0);
INSERT INTO "measurement" VALUES(1,34,12,1.0);
INSERT INTO "measurement" VALUES(1,34,13,1.0);
INSERT INTO "measurement" VALUES(1,34,14,1.0);
INSERT INTO "measurement" VALUES(1,34,15,1.0);
INSERT INTO "measurement" VALUES(1,35,1,1.0);
INSERT INTO "measurement" VALUES(1,35,2,0.5);
INSERT INTO "measurement" VALUES(1,35,3,1.0);
INSERT INTO "measurement" VALUES(1,35,4,1.0);
INSERT INTO "measurement" VALUES(1,35,5,1.0);
INSERT INTO "measurement" VALUES(1,35,6,1.0);
INSERT INTO "measurement" VALUES(1,35,7,1.0);
INSERT INTO "measurement" VALUES(1,35,8,1.0);
INSERT INTO "measurement" VALUES(1,35,9,1.0);
INSERT INTO "measurement" VALUES(1,35,10,1.0);
INSERT INTO "measurement" VALUES(1,35,11,1.0);
INSERT INTO "measurement" VALUES(1,35,12,1.0);
INSERT INTO "measurement" VALUES(1,35,13,1.0);
INSERT INTO "measurement" VALUES(1,35,14,1.0);
INSERT INTO "measurement" VALUES(1,35,15,1.0);
INSERT INTO "measurement" VALUES(1,36,1,1.0);
INSERT INTO "measurement" VALUES(1,36,2,0.5);
INSERT INTO "measurement" VALUES(1,36,3,1.0);
INSERT INTO "measurement" VALUES(1,36,4,1.0);
INSERT INTO "measurement" VALUES(1,36,5,1.0);
INSERT INTO "measurement" VALUES(1,36,6,1.0);
INSERT INTO "measurement" VALUES(1,36,7,1.0);
INSERT INTO "measurement" VALUES(1,36,8,1.0);
INSERT INTO "measurement" VALUES(1,36,9,1.0);
INSERT INTO "measurement" VALUES(1,36,10,1.0);
INSERT INTO "measurement" VALUES(1,36,11,1.0);
INSERT INTO "measurement" VALUES(1,36,12,1.0);
INSERT INTO "measurement" VALUES(1,36,13,1.0);
INSERT INTO "measurement" VALUES(1,36,14,1.0);
INSERT INTO "measurement" VALUES(1,36,15,1.0);
INSERT INTO "measurement" VALUES(1,37,1,1.0);
INSERT INTO "measurement" VALUES(1,37,2,0.5);
INSERT INTO "measurement" VALUES(1,37,3,1.0);
INSERT INTO "measurement" VALUES(1,37,4,1.0);
INSERT INTO "measurement" VALUES(1,37,5,1.0);
INSERT INTO "measurement" VALUES(1,37,6,1.0);
INSERT INTO "measurement" VALUES(1,37,7,1.0);
INSERT INTO "measurement" VALUES(1,37,8,1.0);
INSERT INTO "measurement" VALUES(1,37,9,1.0);
INSERT INTO "measurement" VALUES(1,37,10,1.0);
INSERT INTO "measurement" VALUES(1,37,11,1.0);
INSERT INTO "measurement" VALUES(1,37,12,1.0);
INSERT INTO "measurement" VALUES(1,37,13,1.0);
INSERT INTO "measurement" VALUES(1,37,14,1.0);
INSERT INTO "measurement" VALUES(1,37,15,1.0);
INSERT INTO "measurement" VALUES(1,38,1,1.0);
INSERT INTO "measurement" VALUES(1,38,2,0.5);
INSERT INTO "measurement" VALUES(1,38,3,1.0);
INSERT INTO "measurement" VALUES(1,38,4,1.0);
INSERT INTO "measurement" VALUES(1,38,5,1.0);
INSERT INTO "measurement" VALUES(1,38,6,1.0);
INSERT INTO "measurement" VALUES(1,38,7,1.0);
INSERT INTO "measurement" VALUES(1,38,8,1.0);
INSERT INTO "measurement" VALUES(1,38,9,1.0);
INSERT INTO "measurement" VALUES(1,38,10,1.0);
INSERT INTO "measurement" VALUES(1,38,11,1.0);
INSERT INTO "measurement" VALUES(1,38,12,1.0);
INSERT INTO "measurement" VALUES(1,38,13,1.0);
INSERT INTO "measurement" VALUES(1,38,14,1.0);
INSERT INTO "measurement" VALUES(1,38,15,1.0);
INSERT INTO "measurement" VALUES(1,39,1,1.0);
INSERT INTO "measurement" VALUES(1,39,2,1.42857142857142849212e-01);
INSERT INTO "measurement" VALUES(1,39,3,1.0);
INSERT INTO "measurement" VALUES(1,39,4,1.0);
INSERT INTO "measurement" VALUES(1,39,5,1.0);
INSERT INTO "measurement" VALUES(1,39,6,1.0);
INSERT INTO "measurement" VALUES(1,39,7,1.0);
INSERT INTO "measurement" VALUES(1,39,8,1.0);
INSERT INTO "measurement" VALUES(1,39,9,1.0);
INSERT INTO "measurement" VALUES(1,39,10,1.0);
INSERT INTO "measurement" VALUES(1,39,11,1.0);
INSERT INTO "measurement" VALUES(1,39,12,1.0);
INSERT INTO "measurement" VALUES(1,39,13,1.0);
INSERT INTO "measurement" VALUES(1,39,14,1.0);
INSERT INTO "measurement" VALUES(1,39,15,1.0);
INSERT INTO "measurement" VALUES(1,40,1,1.0);
INSERT INTO "measurement" VALUES(1,40,2,1.0);
INSERT INTO "measurement" VALUES(1,40,3,1.0);
INSERT INTO "measurement" VALUES(1,40,4,1.0);
INSERT INTO "measurement" VALUES(1,40,5,1.0);
INSERT INTO "measurement" VALUES(1,40,6,1.0);
INSERT INTO "measurement" VALUES(1,40,7,1.0);
INSERT INTO "measurement" VALUES(1,40,8,1.0);
INSERT INTO "measurement" VALUES(1,40,9,1.0);
INSERT INTO "measurement" VALUES(1,40,10,1.0);
INSERT INTO "measurement" VALUES(1,40,11,1.0);
INSERT INTO "measurement" VALUES(1,40,12,1.0);
INSERT INTO "measurement" VALUES(1,40,13,1.0);
INSERT INTO "measurement" VALUES(1,40,14,1.0);
INSERT INTO "measurement" VALUES(1,40,15,1.0);
INSERT INTO "measurement" VALUES(1,41,1,1.0);
INSERT INTO "measurement" VALUES(1,41,2,0.25);
INSERT INTO "measurement" VALUES(1,41,3,1.0);
INSERT INTO "measurement" VALUES(1,41,4,1.0);
INSERT INTO "measurement" VALUES(1,41,5,1.0);
INSERT INTO "measurement" VALUES(1,41,6,1.0);
INSERT INTO "measurement" VALUES(1,41,7,1.0);
INSERT INTO "measurement" VALUES(1,41,8,1.0);
INSERT INTO "measurement" VALUES(1,41,9,1.0);
INSERT INTO "measurement" VALUES(1,41,10,1.0);
INSERT INTO "measurement" VALUES(1,41,11,1.0);
INSERT INTO "measurement" VALUES(1,41,12,1.0);
INSERT INTO "measurement" VALUES(1,41,13,1.0);
INSERT INTO "measurement" VALUES(1,41,14,1.0);
INSERT INTO "measurement" VALUES(1,41,15,1.0);
INSERT INTO "measurement" VALUES(1,42,1,1.0);
INSERT INTO "measurement" VALUES(1,42,2,7.0);
INSERT INTO "measurement" VALUES(1,42,3,1.0);
INSERT INTO "measurement" VALUES(1,42,4,1.0);
INSERT INTO "measurement" VALUES(1,42,5,1.0);
INSERT INTO "measurement" VALUES(1,42,6,1.0);
INSERT INTO "measurement" VALUES(1,42,7,1.0);
INSERT INTO "measurement" VALUES(1,42,8,1.0);
INSERT INTO "measurement" VALUES(1,42,9,1.0);
INSERT INTO "measurement" VALUES(1,42,10,1.0);
INSERT INTO "measurement" VALUES(1,42,11,1.0);
INSERT INTO "measurement" VALUES(1,42,12,1.0);
INSERT INTO "measurement" VALUES(1,42,13,1.0);
INSERT INTO "measurement" VALUES(1,42,14,1.0);
INSERT INTO "measurement" VALUES(1,42,15,1.0);
INSERT INTO "measurement" VALUES(1,43,1,1.0);
INSERT INTO "measurement" VALUES(1,43,2,1.0);
INSERT INTO "measurement" VALUES(1,43,3,1.0);
INSERT INTO "measurement" VALUES(1,43,4,1.0);
INSERT INTO "measurement" VALUES(1,43,5,1.0);
INSERT INTO "measurement" VALUES(1,43,6,1.0);
INSERT INTO "measurement" VALUES(1,43,7,1.0);
INSERT INTO "measurement" VALUES(1,43,8,1.0);
INSERT INTO "measurement" VALUES(1,43,9,1.0);
INSERT INTO "measurement" VALUES(1,43,10,1.0);
INSERT INTO "measurement" VALUES(1,43,11,1.0);
INSERT INTO "measurement" VALUES(1,43,12,1.0);
INSERT INTO "measurement" VALUES(1,43,13,1.0);
INSERT INTO "measurement" VALUES(1,43,14,1.0);
INSERT INTO "measurement" VALUES(1,43,15,1.0);
INSERT INTO "measurement" VALUES(1,44,1,1.0);
INSERT INTO "measurement" VALUES(1,44,2,1.0);
INSERT INTO "measurement" VALUES(1,44,3,1.0);
INSERT INTO "measurement" VALUES(1,44,4,1.0);
INSERT INTO "measurement" VALUES(1,44,5,1.0);
INSERT INTO "measurement" VALUES(1,44,6,1.0);
INSERT INTO "measurement" VALUES(1,44,7,1.0);
INSERT INTO "measurement" VALUES(1,44,8,1.0);
INSERT INTO "measurement" VALUES(1,44,9,1.0);
INSERT INTO "measurement" VALUES(1,44,10,1.0);
INSERT INTO "measurement" VALUES(1,44,11,1.0);
INSERT INTO "measurement" VALUES(1,44,12,1.0);
INSERT INTO "measurement" VALUES(1,44,13,1.0);
INSERT INTO "measurement" VALUES(1,44,14,1.0);
INSERT INTO "measurement" VALUES(1,44,15,1.0);
INSERT INTO "measurement" VALUES(2,1,16,8.33333333333333259318e-01);
INSERT INTO "measurement" VALUES(2,1,18,1.0);
INSERT INTO "measurement" VALUES(2,1,19,0.5);
INSERT INTO "measurement" VALUES(2,2,16,8.33333333333333259318e-01);
INSERT INTO "measurement" VALUES(2,2,18,1.0);
INSERT INTO "measurement" VALUES(2,2,19,0.5);
INSERT INTO "measurement" VALUES(2,3,16,0.5);
INSERT INTO "measurement" VALUES(2,3,18,1.0);
INSERT INTO "measurement" VALUES(2,3,19,0.0);
INSERT INTO "measurement" VALUES(2,4,16,1.0);
INSERT INTO "measurement" VALUES(2,4,18,1.0);
INSERT INTO "measurement" VALUES(2,4,19,1.0);
INSERT INTO "measurement" VALUES(2,5,16,1.0);
INSERT INTO "measurement" VALUES(2,5,18,1.0);
INSERT INTO "measurement" VALUES(2,5,19,0.5);
INSERT INTO "measurement" VALUES(2,6,16,1.0);
INSERT INTO "measurement" VALUES(2,6,18,1.0);
INSERT INTO "measurement" VALUES(2,6,19,0.5);
INSERT INTO "measurement" VALUES(2,7,16,9.50234416789835556471e-01);
INSERT INTO "measurement" VALUES(2,7,18,1.0);
INSERT INTO "measurement" VALUES(2,7,19,6.30929753571457418992e-01);
INSERT INTO "measurement" VALUES(2,8,16,9.50234416789835556471e-01);
INSERT INTO "measurement" VALUES(2,8,18,1.0);
INSERT INTO "measurement" VALUES(2,8,19,6.30929753571457418992e-01);
INSERT INTO "measurement" VALUES(2,9,16,9.50234416789835556471e-01);
INSERT INTO "measurement" VALUES(2,9,18,1.0);
INSERT INTO "measurement" VALUES(2,9,19,6.30929753571457418992e-01);
INSERT INTO "measurement" VALUES(2,10,16,9.50234416789835556471e-01);
INSERT INTO "measurement" VALUES(2,10,18,1.0);
INSERT INTO "measurement" VALUES(2,10,19,6.30929753571457418992e-01);
INSERT INTO "measurement" VALUES(2,11,16,9.50234416789835556471e-01);
INSERT INTO "measurement" VALUES(2,11,18,1.0);
INSERT INTO "measurement" VALUES(2,11,19,6.30929753571457418992e-01);
INSERT INTO "measurement" VALUES(2,12,16,4.0104166666666668517e-01);
INSERT INTO "measurement" VALUES(2,12,18,0.1796875);
INSERT INTO "measurement" VALUES(2,12,19,0.4375);
INSERT INTO "measurement" VALUES(2,13,16,2.63999999999999956923e-01);
INSERT INTO "measurement" VALUES(2,13,18,3.59999999999999931166e-01);
INSERT INTO "measurement" VALUES(2,13,19,1.59999999999999975575e-01);
INSERT INTO "measurement" VALUES(2,14,16,1.0);
INSERT INTO "measurement" VALUES(2,14,18,1.0);
INSERT INTO "measurement" VALUES(2,14,19,0.0);
INSERT INTO "measurement" VALUES(2,15,16,0.4);
INSERT INTO "measurement" VALUES(2,15,18,0.4);
INSERT INTO "measurement" VALUES(2,15,19,0.2);
INSERT INTO "measurement" VALUES(2,16,16,0.2);
INSERT INTO "measurement" VALUES(2,16,18,0.2);
INSERT INTO "measurement" VALUES(2,16,19,0.1);
INSERT INTO "measurement" VALUES(2,17,16,0.1);
INSERT INTO "measurement" VALUES(2,17,18,0.1);
INSERT INTO "measurement" VALUES(2,17,19,0.05);
INSERT INTO "measurement" VALUES(2,18,16,6.66666666666666657414e-02);
INSERT INTO "measurement" VALUES(2,18,18,6.66666666666666657414e-02);
INSERT INTO "measurement" VALUES(2,18,19,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(2,19,16,0.02);
INSERT INTO "measurement" VALUES(2,19,18,0.02);
INSERT INTO "measurement" VALUES(2,19,19,0.01);
INSERT INTO "measurement" VALUES(2,20,16,1.0);
INSERT INTO "measurement" VALUES(2,20,18,1.0);
INSERT INTO "measurement" VALUES(2,20,19,1.0);
INSERT INTO "measurement" VALUES(2,21,16,1.0);
INSERT INTO "measurement" VALUES(2,21,18,1.0);
INSERT INTO "measurement" VALUES(2,21,19,1.0);
INSERT INTO "measurement" VALUES(2,22,16,1.0);
INSERT INTO "measurement" VALUES(2,22,18,1.0);
INSERT INTO "measurement" VALUES(2,22,19,1.0);
INSERT INTO "measurement" VALUES(2,23,16,1.0);
INSERT INTO "measurement" VALUES(2,23,18,1.0);
INSERT INTO "measurement" VALUES(2,23,19,1.0);
INSERT INTO "measurement" VALUES(2,24,16,1.0);
INSERT INTO "measurement" VALUES(2,24,18,1.0);
INSERT INTO "measurement" VALUES(2,24,19,1.0);
INSERT INTO "measurement" VALUES(2,25,16,1.0);
INSERT INTO "measurement" VALUES(2,25,18,1.0);
INSERT INTO "measurement" VALUES(2,25,19,0.0);
INSERT INTO "measurement" VALUES(2,26,16,1.0);
INSERT INTO "measurement" VALUES(2,26,18,1.0);
INSERT INTO "measurement" VALUES(2,26,19,1.0);
INSERT INTO "measurement" VALUES(2,27,16,1.0);
INSERT INTO "measurement" VALUES(2,27,18,1.0);
INSERT INTO "measurement" VALUES(2,27,19,1.0);
INSERT INTO "measurement" VALUES(2,28,16,1.0);
INSERT INTO "measurement" VALUES(2,28,18,1.0);
INSERT INTO "measurement" VALUES(2,28,19,0.5);
INSERT INTO "measurement" VALUES(2,29,16,1.0);
INSERT INTO "measurement" VALUES(2,29,18,1.0);
INSERT INTO "measurement" VALUES(2,29,19,0.5);
INSERT INTO "measurement" VALUES(2,30,16,1.0);
INSERT INTO "measurement" VALUES(2,30,18,1.0);
INSERT INTO "measurement" VALUES(2,30,19,0.5);
INSERT INTO "measurement" VALUES(2,31,16,1.0);
INSERT INTO "measurement" VALUES(2,31,18,1.0);
INSERT INTO "measurement" VALUES(2,31,19,0.5);
INSERT INTO "measurement" VALUES(2,32,16,1.0);
INSERT INTO "measurement" VALUES(2,32,18,1.0);
INSERT INTO "measurement" VALUES(2,32,19,0.5);
INSERT INTO "measurement" VALUES(2,33,16,1.0);
INSERT INTO "measurement" VALUES(2,33,18,1.0);
INSERT INTO "measurement" VALUES(2,33,19,0.5);
INSERT INTO "measurement" VALUES(2,34,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(2,34,18,1.0);
INSERT INTO "measurement" VALUES(2,34,19,0.5);
INSERT INTO "measurement" VALUES(2,35,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(2,35,18,1.0);
INSERT INTO "measurement" VALUES(2,35,19,0.5);
INSERT INTO "measurement" VALUES(2,36,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(2,36,18,1.0);
INSERT INTO "measurement" VALUES(2,36,19,0.5);
INSERT INTO "measurement" VALUES(2,37,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(2,37,18,1.0);
INSERT INTO "measurement" VALUES(2,37,19,0.5);
INSERT INTO "measurement" VALUES(2,38,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(2,38,18,1.0);
INSERT INTO "measurement" VALUES(2,38,19,0.5);
INSERT INTO "measurement" VALUES(2,39,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(2,39,18,1.0);
INSERT INTO "measurement" VALUES(2,39,19,0.5);
INSERT INTO "measurement" VALUES(2,40,16,1.0);
INSERT INTO "measurement" VALUES(2,40,18,1.0);
INSERT INTO "measurement" VALUES(2,40,19,1.0);
INSERT INTO "measurement" VALUES(2,41,16,0.8);
INSERT INTO "measurement" VALUES(2,41,18,1.0);
INSERT INTO "measurement" VALUES(2,41,19,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(2,42,16,3.0);
INSERT INTO "measurement" VALUES(2,42,18,2.0);
INSERT INTO "measurement" VALUES(2,42,19,2.0);
INSERT INTO "measurement" VALUES(2,43,16,2.0);
INSERT INTO "measurement" VALUES(2,43,18,2.0);
INSERT INTO "measurement" VALUES(2,43,19,1.0);
INSERT INTO "measurement" VALUES(2,44,16,2.0);
INSERT INTO "measurement" VALUES(2,44,18,2.0);
INSERT INTO "measurement" VALUES(2,44,19,1.0);
INSERT INTO "measurement" VALUES(3,1,16,0.25);
INSERT INTO "measurement" VALUES(3,1,18,8.33333333333333259318e-01);
INSERT INTO "measurement" VALUES(3,1,19,1.0);
INSERT INTO "measurement" VALUES(3,2,16,0.25);
INSERT INTO "measurement" VALUES(3,2,18,8.33333333333333259318e-01);
INSERT INTO "measurement" VALUES(3,2,19,1.0);
INSERT INTO "measurement" VALUES(3,3,16,0.5);
INSERT INTO "measurement" VALUES(3,3,18,0.5);
INSERT INTO "measurement" VALUES(3,3,19,1.0);
INSERT INTO "measurement" VALUES(3,4,16,0.0);
INSERT INTO "measurement" VALUES(3,4,18,1.0);
INSERT INTO "measurement" VALUES(3,4,19,1.0);
INSERT INTO "measurement" VALUES(3,5,16,0.5);
INSERT INTO "measurement" VALUES(3,5,18,1.0);
INSERT INTO "measurement" VALUES(3,5,19,1.0);
INSERT INTO "measurement" VALUES(3,6,16,0.5);
INSERT INTO "measurement" VALUES(3,6,18,1.0);
INSERT INTO "measurement" VALUES(3,6,19,1.0);
INSERT INTO "measurement" VALUES(3,7,16,4.79624933136262920907e-01);
INSERT INTO "measurement" VALUES(3,7,18,9.19720789148187556349e-01);
INSERT INTO "measurement" VALUES(3,7,19,1.0);
INSERT INTO "measurement" VALUES(3,8,16,4.79624933136262920907e-01);
INSERT INTO "measurement" VALUES(3,8,18,9.19720789148187556349e-01);
INSERT INTO "measurement" VALUES(3,8,19,1.0);
INSERT INTO "measurement" VALUES(3,9,16,4.79624933136262920907e-01);
INSERT INTO "measurement" VALUES(3,9,18,9.19720789148187556349e-01);
INSERT INTO "measurement" VALUES(3,9,19,1.0);
INSERT INTO "measurement" VALUES(3,10,16,4.79624933136262920907e-01);
INSERT INTO "measurement" VALUES(3,10,18,9.19720789148187556349e-01);
INSERT INTO "measurement" VALUES(3,10,19,1.0);
INSERT INTO "measurement" VALUES(3,11,16,4.79624933136262920907e-01);
INSERT INTO "measurement" VALUES(3,11,18,9.19720789148187556349e-01);
INSERT INTO "measurement" VALUES(3,11,19,1.0);
INSERT INTO "measurement" VALUES(3,12,16,0.1875);
INSERT INTO "measurement" VALUES(3,12,18,1.61458333333333342585e-01);
INSERT INTO "measurement" VALUES(3,12,19,0.875);
INSERT INTO "measurement" VALUES(3,13,16,1.59999999999999975575e-01);
INSERT INTO "measurement" VALUES(3,13,18,3.27999999999999958255e-01);
INSERT INTO "measurement" VALUES(3,13,19,1.99999999999999955591e-01);
INSERT INTO "measurement" VALUES(3,14,16,0.0);
INSERT INTO "measurement" VALUES(3,14,18,1.0);
INSERT INTO "measurement" VALUES(3,14,19,1.0);
INSERT INTO "measurement" VALUES(3,15,16,0.2);
INSERT INTO "measurement" VALUES(3,15,18,0.4);
INSERT INTO "measurement" VALUES(3,15,19,0.2);
INSERT INTO "measurement" VALUES(3,16,16,0.1);
INSERT INTO "measurement" VALUES(3,16,18,0.2);
INSERT INTO "measurement" VALUES(3,16,19,0.1);
INSERT INTO "measurement" VALUES(3,17,16,0.05);
INSERT INTO "measurement" VALUES(3,17,18,0.1);
INSERT INTO "measurement" VALUES(3,17,19,0.05);
INSERT INTO "measurement" VALUES(3,18,16,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(3,18,18,6.66666666666666657414e-02);
INSERT INTO "measurement" VALUES(3,18,19,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(3,19,16,0.01);
INSERT INTO "measurement" VALUES(3,19,18,0.02);
INSERT INTO "measurement" VALUES(3,19,19,0.01);
INSERT INTO "measurement" VALUES(3,20,16,0.5);
INSERT INTO "measurement" VALUES(3,20,18,1.0);
INSERT INTO "measurement" VALUES(3,20,19,1.0);
INSERT INTO "measurement" VALUES(3,21,16,0.5);
INSERT INTO "measurement" VALUES(3,21,18,1.0);
INSERT INTO "measurement" VALUES(3,21,19,1.0);
INSERT INTO "measurement" VALUES(3,22,16,0.5);
INSERT INTO "measurement" VALUES(3,22,18,1.0);
INSERT INTO "measurement" VALUES(3,22,19,1.0);
INSERT INTO "measurement" VALUES(3,23,16,0.5);
INSERT INTO "measurement" VALUES(3,23,18,1.0);
INSERT INTO "measurement" VALUES(3,23,19,1.0);
INSERT INTO "measurement" VALUES(3,24,16,0.5);
INSERT INTO "measurement" VALUES(3,24,18,1.0);
INSERT INTO "measurement" VALUES(3,24,19,1.0);
INSERT INTO "measurement" VALUES(3,25,16,0.0);
INSERT INTO "measurement" VALUES(3,25,18,1.0);
INSERT INTO "measurement" VALUES(3,25,19,1.0);
INSERT INTO "measurement" VALUES(3,26,16,1.0);
INSERT INTO "measurement" VALUES(3,26,18,1.0);
INSERT INTO "measurement" VALUES(3,26,19,1.0);
INSERT INTO "measurement" VALUES(3,27,16,1.0);
INSERT INTO "measurement" VALUES(3,27,18,1.0);
INSERT INTO "measurement" VALUES(3,27,19,1.0);
INSERT INTO "measurement" VALUES(3,28,16,0.5);
INSERT INTO "measurement" VALUES(3,28,18,1.0);
INSERT INTO "measurement" VALUES(3,28,19,1.0);
INSERT INTO "measurement" VALUES(3,29,16,0.5);
INSERT INTO "measurement" VALUES(3,29,18,1.0);
INSERT INTO "measurement" VALUES(3,29,19,1.0);
INSERT INTO "measurement" VALUES(3,30,16,0.5);
INSERT INTO "measurement" VALUES(3,30,18,1.0);
INSERT INTO "measurement" VALUES(3,30,19,1.0);
INSERT INTO "measurement" VALUES(3,31,16,0.5);
INSERT INTO "measurement" VALUES(3,31,18,1.0);
INSERT INTO "measurement" VALUES(3,31,19,1.0);
INSERT INTO "measurement" VALUES(3,32,16,0.5);
INSERT INTO "measurement" VALUES(3,32,18,1.0);
INSERT INTO "measurement" VALUES(3,32,19,1.0);
INSERT INTO "measurement" VALUES(3,33,16,0.5);
INSERT INTO "measurement" VALUES(3,33,18,1.0);
INSERT INTO "measurement" VALUES(3,33,19,1.0);
INSERT INTO "measurement" VALUES(3,34,16,0.0);
INSERT INTO "measurement" VALUES(3,34,18,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(3,34,19,1.0);
INSERT INTO "measurement" VALUES(3,35,16,0.0);
INSERT INTO "measurement" VALUES(3,35,18,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(3,35,19,1.0);
INSERT INTO "measurement" VALUES(3,36,16,0.0);
INSERT INTO "measurement" VALUES(3,36,18,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(3,36,19,1.0);
INSERT INTO "measurement" VALUES(3,37,16,0.0);
INSERT INTO "measurement" VALUES(3,37,18,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(3,37,19,1.0);
INSERT INTO "measurement" VALUES(3,38,16,0.0);
INSERT INTO "measurement" VALUES(3,38,18,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(3,38,19,1.0);
INSERT INTO "measurement" VALUES(3,39,16,0.5);
INSERT INTO "measurement" VALUES(3,39,18,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(3,39,19,1.0);
INSERT INTO "measurement" VALUES(3,40,16,0.5);
INSERT INTO "measurement" VALUES(3,40,18,1.0);
INSERT INTO "measurement" VALUES(3,40,19,1.0);
INSERT INTO "measurement" VALUES(3,41,16,0.5);
INSERT INTO "measurement" VALUES(3,41,18,0.8);
INSERT INTO "measurement" VALUES(3,41,19,1.0);
INSERT INTO "measurement" VALUES(3,42,16,2.0);
INSERT INTO "measurement" VALUES(3,42,18,3.0);
INSERT INTO "measurement" VALUES(3,42,19,1.0);
INSERT INTO "measurement" VALUES(3,43,16,2.0);
INSERT INTO "measurement" VALUES(3,43,18,2.0);
INSERT INTO "measurement" VALUES(3,43,19,1.0);
INSERT INTO "measurement" VALUES(3,44,16,1.0);
INSERT INTO "measurement" VALUES(3,44,18,2.0);
INSERT INTO "measurement" VALUES(3,44,19,1.0);
INSERT INTO "measurement" VALUES(3,45,16,3.33333333333333314829e-01);
INSERT INTO "measurement" VALUES(3,45,18,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(3,45,19,3.33333333333333314829e-01);
INSERT INTO "measurement" VALUES(4,1,16,8.33333333333333259318e-01);
INSERT INTO "measurement" VALUES(4,1,18,1.0);
INSERT INTO "measurement" VALUES(4,1,19,0.5);
INSERT INTO "measurement" VALUES(4,1,20,0.0);
INSERT INTO "measurement" VALUES(4,2,16,8.33333333333333259318e-01);
INSERT INTO "measurement" VALUES(4,2,18,1.0);
INSERT INTO "measurement" VALUES(4,2,19,0.5);
INSERT INTO "measurement" VALUES(4,2,20,0.0);
INSERT INTO "measurement" VALUES(4,3,16,0.5);
INSERT INTO "measurement" VALUES(4,3,18,1.0);
INSERT INTO "measurement" VALUES(4,3,19,0.0);
INSERT INTO "measurement" VALUES(4,3,20,0.0);
INSERT INTO "measurement" VALUES(4,4,16,1.0);
INSERT INTO "measurement" VALUES(4,4,18,1.0);
INSERT INTO "measurement" VALUES(4,4,19,1.0);
INSERT INTO "measurement" VALUES(4,4,20,0.0);
INSERT INTO "measurement" VALUES(4,5,16,1.0);
INSERT INTO "measurement" VALUES(4,5,18,1.0);
INSERT INTO "measurement" VALUES(4,5,19,0.5);
INSERT INTO "measurement" VALUES(4,5,20,0.0);
INSERT INTO "measurement" VALUES(4,6,16,1.0);
INSERT INTO "measurement" VALUES(4,6,18,1.0);
INSERT INTO "measurement" VALUES(4,6,19,0.5);
INSERT INTO "measurement" VALUES(4,6,20,0.0);
INSERT INTO "measurement" VALUES(4,7,16,9.50234416789835556471e-01);
INSERT INTO "measurement" VALUES(4,7,18,1.0);
INSERT INTO "measurement" VALUES(4,7,19,6.30929753571457418992e-01);
INSERT INTO "measurement" VALUES(4,7,20,0.0);
INSERT INTO "measurement" VALUES(4,8,16,9.50234416789835556471e-01);
INSERT INTO "measurement" VALUES(4,8,18,1.0);
INSERT INTO "measurement" VALUES(4,8,19,6.30929753571457418992e-01);
INSERT INTO "measurement" VALUES(4,8,20,0.0);
INSERT INTO "measurement" VALUES(4,9,16,9.50234416789835556471e-01);
INSERT INTO "measurement" VALUES(4,9,18,1.0);
INSERT INTO "measurement" VALUES(4,9,19,6.30929753571457418992e-01);
INSERT INTO "measurement" VALUES(4,9,20,0.0);
INSERT INTO "measurement" VALUES(4,10,16,9.50234416789835556471e-01);
INSERT INTO "measurement" VALUES(4,10,18,1.0);
INSERT INTO "measurement" VALUES(4,10,19,6.30929753571457418992e-01);
INSERT INTO "measurement" VALUES(4,10,20,0.0);
INSERT INTO "measurement" VALUES(4,11,16,9.50234416789835556471e-01);
INSERT INTO "measurement" VALUES(4,11,18,1.0);
INSERT INTO "measurement" VALUES(4,11,19,6.30929753571457418992e-01);
INSERT INTO "measurement" VALUES(4,11,20,0.0);
INSERT INTO "measurement" VALUES(4,12,16,4.0104166666666668517e-01);
INSERT INTO "measurement" VALUES(4,12,18,0.1796875);
INSERT INTO "measurement" VALUES(4,12,19,0.4375);
INSERT INTO "measurement" VALUES(4,12,20,0.0);
INSERT INTO "measurement" VALUES(4,13,16,2.63999999999999956923e-01);
INSERT INTO "measurement" VALUES(4,13,18,3.59999999999999931166e-01);
INSERT INTO "measurement" VALUES(4,13,19,1.59999999999999975575e-01);
INSERT INTO "measurement" VALUES(4,13,20,0.0);
INSERT INTO "measurement" VALUES(4,14,16,1.0);
INSERT INTO "measurement" VALUES(4,14,18,1.0);
INSERT INTO "measurement" VALUES(4,14,19,0.0);
INSERT INTO "measurement" VALUES(4,14,20,0.0);
INSERT INTO "measurement" VALUES(4,15,16,0.4);
INSERT INTO "measurement" VALUES(4,15,18,0.4);
INSERT INTO "measurement" VALUES(4,15,19,0.2);
INSERT INTO "measurement" VALUES(4,15,20,0.0);
INSERT INTO "measurement" VALUES(4,16,16,0.2);
INSERT INTO "measurement" VALUES(4,16,18,0.2);
INSERT INTO "measurement" VALUES(4,16,19,0.1);
INSERT INTO "measurement" VALUES(4,16,20,0.0);
INSERT INTO "measurement" VALUES(4,17,16,0.1);
INSERT INTO "measurement" VALUES(4,17,18,0.1);
INSERT INTO "measurement" VALUES(4,17,19,0.05);
INSERT INTO "measurement" VALUES(4,17,20,0.0);
INSERT INTO "measurement" VALUES(4,18,16,6.66666666666666657414e-02);
INSERT INTO "measurement" VALUES(4,18,18,6.66666666666666657414e-02);
INSERT INTO "measurement" VALUES(4,18,19,3.33333333333333328707e-02);
INSERT INTO "measurement" VALUES(4,18,20,0.0);
INSERT INTO "measurement" VALUES(4,19,16,0.02);
INSERT INTO "measurement" VALUES(4,19,18,0.02);
INSERT INTO "measurement" VALUES(4,19,19,0.01);
INSERT INTO "measurement" VALUES(4,19,20,0.0);
INSERT INTO "measurement" VALUES(4,20,16,1.0);
INSERT INTO "measurement" VALUES(4,20,18,1.0);
INSERT INTO "measurement" VALUES(4,20,19,1.0);
INSERT INTO "measurement" VALUES(4,20,20,0.0);
INSERT INTO "measurement" VALUES(4,21,16,1.0);
INSERT INTO "measurement" VALUES(4,21,18,1.0);
INSERT INTO "measurement" VALUES(4,21,19,1.0);
INSERT INTO "measurement" VALUES(4,21,20,0.0);
INSERT INTO "measurement" VALUES(4,22,16,1.0);
INSERT INTO "measurement" VALUES(4,22,18,1.0);
INSERT INTO "measurement" VALUES(4,22,19,1.0);
INSERT INTO "measurement" VALUES(4,22,20,0.0);
INSERT INTO "measurement" VALUES(4,23,16,1.0);
INSERT INTO "measurement" VALUES(4,23,18,1.0);
INSERT INTO "measurement" VALUES(4,23,19,1.0);
INSERT INTO "measurement" VALUES(4,23,20,0.0);
INSERT INTO "measurement" VALUES(4,24,16,1.0);
INSERT INTO "measurement" VALUES(4,24,18,1.0);
INSERT INTO "measurement" VALUES(4,24,19,1.0);
INSERT INTO "measurement" VALUES(4,24,20,0.0);
INSERT INTO "measurement" VALUES(4,25,16,1.0);
INSERT INTO "measurement" VALUES(4,25,18,1.0);
INSERT INTO "measurement" VALUES(4,25,19,0.0);
INSERT INTO "measurement" VALUES(4,25,20,0.0);
INSERT INTO "measurement" VALUES(4,26,16,1.0);
INSERT INTO "measurement" VALUES(4,26,18,1.0);
INSERT INTO "measurement" VALUES(4,26,19,1.0);
INSERT INTO "measurement" VALUES(4,26,20,0.0);
INSERT INTO "measurement" VALUES(4,27,16,1.0);
INSERT INTO "measurement" VALUES(4,27,18,1.0);
INSERT INTO "measurement" VALUES(4,27,19,1.0);
INSERT INTO "measurement" VALUES(4,27,20,0.0);
INSERT INTO "measurement" VALUES(4,28,16,1.0);
INSERT INTO "measurement" VALUES(4,28,18,1.0);
INSERT INTO "measurement" VALUES(4,28,19,0.5);
INSERT INTO "measurement" VALUES(4,28,20,0.0);
INSERT INTO "measurement" VALUES(4,29,16,1.0);
INSERT INTO "measurement" VALUES(4,29,18,1.0);
INSERT INTO "measurement" VALUES(4,29,19,0.5);
INSERT INTO "measurement" VALUES(4,29,20,0.0);
INSERT INTO "measurement" VALUES(4,30,16,1.0);
INSERT INTO "measurement" VALUES(4,30,18,1.0);
INSERT INTO "measurement" VALUES(4,30,19,0.5);
INSERT INTO "measurement" VALUES(4,30,20,0.0);
INSERT INTO "measurement" VALUES(4,31,16,1.0);
INSERT INTO "measurement" VALUES(4,31,18,1.0);
INSERT INTO "measurement" VALUES(4,31,19,0.5);
INSERT INTO "measurement" VALUES(4,31,20,0.0);
INSERT INTO "measurement" VALUES(4,32,16,1.0);
INSERT INTO "measurement" VALUES(4,32,18,1.0);
INSERT INTO "measurement" VALUES(4,32,19,0.5);
INSERT INTO "measurement" VALUES(4,32,20,0.0);
INSERT INTO "measurement" VALUES(4,33,16,1.0);
INSERT INTO "measurement" VALUES(4,33,18,1.0);
INSERT INTO "measurement" VALUES(4,33,19,0.5);
INSERT INTO "measurement" VALUES(4,33,20,0.0);
INSERT INTO "measurement" VALUES(4,34,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(4,34,18,1.0);
INSERT INTO "measurement" VALUES(4,34,19,0.5);
INSERT INTO "measurement" VALUES(4,34,20,0.0);
INSERT INTO "measurement" VALUES(4,35,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(4,35,18,1.0);
INSERT INTO "measurement" VALUES(4,35,19,0.5);
INSERT INTO "measurement" VALUES(4,35,20,0.0);
INSERT INTO "measurement" VALUES(4,36,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(4,36,18,1.0);
INSERT INTO "measurement" VALUES(4,36,19,0.5);
INSERT INTO "measurement" VALUES(4,36,20,0.0);
INSERT INTO "measurement" VALUES(4,37,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(4,37,18,1.0);
INSERT INTO "measurement" VALUES(4,37,19,0.5);
INSERT INTO "measurement" VALUES(4,37,20,0.0);
INSERT INTO "measurement" VALUES(4,38,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(4,38,18,1.0);
INSERT INTO "measurement" VALUES(4,38,19,0.5);
INSERT INTO "measurement" VALUES(4,38,20,0.0);
INSERT INTO "measurement" VALUES(4,39,16,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(4,39,18,1.0);
INSERT INTO "measurement" VALUES(4,39,19,0.5);
INSERT INTO "measurement" VALUES(4,39,20,0.0);
INSERT INTO "measurement" VALUES(4,40,16,1.0);
INSERT INTO "measurement" VALUES(4,40,18,1.0);
INSERT INTO "measurement" VALUES(4,40,19,1.0);
INSERT INTO "measurement" VALUES(4,40,20,0.0);
INSERT INTO "measurement" VALUES(4,41,16,0.8);
INSERT INTO "measurement" VALUES(4,41,18,1.0);
INSERT INTO "measurement" VALUES(4,41,19,6.66666666666666629659e-01);
INSERT INTO "measurement" VALUES(4,41,20,0.0);
INSERT INTO "measurement" VALUES(4,42,16,3.0);
INSERT INTO "measurement" VALUES(4,42,18,2.0);
INSERT INTO "measurement" VALUES(4,42,19,2.0);
INSERT INTO "measurement" VALUES(4,42,20,0.0);
INSERT INTO "measurement" VALUES(4,43,16,2.0);
INSERT INTO "measurement" VALUES(4,43,18,2.0);
INSERT INTO "measurement" VALUES(4,43,19,1.0);
INSERT INTO "measurement" VALUES(4,43,20,1.0);
INSERT INTO "measurement" VALUES(4,44,16,2.0);
INSERT INTO "measurement" VALUES(4,44,18,2.0);
INSERT INTO "measurement" VALUES(4,44,19,1.0);
INSERT INTO "measurement" VALUES(4,44,20,0.0);
INSERT INTO "measurement" VALUES(5,1,16,0.8333);
INSERT INTO "measurement" VALUES(5,1,18,1.0);
INSERT INTO "measurement" VALUES(5,1,19,0.0);
INSERT INTO "measurement" VALUES(5,15,16,0.4);
INSERT INTO "measurement" VALUES(5,15,18,0.4);
INSERT INTO "measurement" VALUES(5,15,19,0.0);
INSERT INTO "measurement" VALUES(5,42,16,3.0);
INSERT INTO "measurement" VALUES(5,42,18,2.0);
INSERT INTO "measurement" VALUES(5,42,19,0.0);
CREATE TABLE preference_judgment (
	collection_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	judgment_group TEXT NOT NULL, 
	subgroup TEXT NOT NULL, 
	docno TEXT NOT NULL, 
	level DOUBLE NOT NULL, 
	CONSTRAINT pk_preference_judgment PRIMARY KEY (collection_id, query_id, judgment_group, subgroup, docno), 
	CONSTRAINT fk_preference_judgment_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_preference_judgment_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID;
INSERT INTO "preference_judgment" VALUES(2,16,'ü','s','d1',0.1);
INSERT INTO "preference_judgment" VALUES(2,16,'ü','s','d2',0.0);
INSERT INTO "preference_judgment" VALUES(2,16,'ü','ß','d1',2.0);
CREATE TABLE "qrels" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	content_hash TEXT NOT NULL, 
	queries INTEGER NOT NULL, 
	judgments BIGINT NOT NULL, 
	relevant BIGINT NOT NULL, 
	highest_grade DOUBLE NOT NULL, 
	created_at DATETIME NOT NULL, 
	is_default BOOLEAN DEFAULT 0 NOT NULL, 
	deleted_at DATETIME, 
	CONSTRAINT fk_qrels_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_qrels_collection_id_content_hash UNIQUE (collection_id, content_hash), 
	CONSTRAINT uq_qrels_collection_id_name UNIQUE (collection_id, name)
);
INSERT INTO "qrels" VALUES(1,1,'odd','bcbb6e190eabf916affd057f16273c9e145df9948abeb20e39f6281d204b3c30',15,30,15,1.0,'2026-11-27 17:59:20.189067',1,NULL);
INSERT INTO "qrels" VALUES(2,2,'test','1bfea906ad818051e20881aa52f81902f873ef7783d73ab46efeb4087d7651ef',3,6,5,3.0,'2026-11-27 17:59:20.475718',0,NULL);
INSERT INTO "qrels" VALUES(3,2,'second','4b99802ffc2a92bdfc157572e628cf2cb66d98f9fc4660251502466d94b976b2',4,7,6,3.0,'2026-11-27 17:59:20.752741',1,NULL);
INSERT INTO "qrels" VALUES(4,2,'third','9e08d2bd5a0d6e67b70fde4f4711262e17ff96b4a6c9ae54cbe5647c83cd893e',1,1,1,1.0,'2026-11-27 17:59:22.463436',0,'2026-11-27 17:59:22.483932');
INSERT INTO "qrels" VALUES(5,3,'third','9e08d2bd5a0d6e67b70fde4f4711262e17ff96b4a6c9ae54cbe5647c83cd893e',1,1,1,1.0,'2026-11-27 17:59:22.494684',1,NULL);
CREATE TABLE "query" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	qid TEXT NOT NULL, 
	text TEXT, 
	CONSTRAINT fk_query_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_query_collection_id_qid UNIQUE (collection_id, qid)
);
INSERT INTO "query" VALUES(1,1,'"quoted"',NULL);
INSERT INTO "query" VALUES(2,1,''';_DROP_TABLE_run;_--',NULL);
INSERT INTO "query" VALUES(3,1,'../../etc/passwd',NULL);
INSERT INTO "query" VALUES(4,1,'<script>alert(1)</script>',NULL);
INSERT INTO "query" VALUES(5,1,'=1+1',NULL);
INSERT INTO "query" VALUES(6,1,'NULL',NULL);
INSERT INTO "query" VALUES(7,1,'__proto__',NULL);
INSERT INTO "query" VALUES(8,1,'all',NULL);
INSERT INTO "query" VALUES(9,1,'café',NULL);
INSERT INTO "query" VALUES(10,1,'café',NULL);
INSERT INTO "query" VALUES(11,1,'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',NULL);
INSERT INTO "query" VALUES(12,1,'{{7*7}}%s%(x)s{0}',NULL);
INSERT INTO "query" VALUES(13,1,'מנוע',NULL);
INSERT INTO "query" VALUES(14,1,'‮gnp.exe',NULL);
INSERT INTO "query" VALUES(15,1,'🦉🇦🇹👩‍🔬',NULL);
INSERT INTO "query" VALUES(16,2,'q1','what?');
INSERT INTO "query" VALUES(17,2,'q9','no answer');
INSERT INTO "query" VALUES(18,2,'q2',NULL);
INSERT INTO "query" VALUES(19,2,'q3',NULL);
INSERT INTO "query" VALUES(20,2,'q4',NULL);
INSERT INTO "query" VALUES(21,3,'q1',NULL);
CREATE TABLE query_attribute (
	query_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_query_attribute PRIMARY KEY (query_id, name), 
	CONSTRAINT fk_query_attribute_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID;
INSERT INTO "query_attribute" VALUES(1,'name ✓','"quoted"');
INSERT INTO "query_attribute" VALUES(2,'name ✓',''';_DROP_TABLE_run;_--');
INSERT INTO "query_attribute" VALUES(3,'name ✓','../../etc/passwd');
INSERT INTO "query_attribute" VALUES(4,'name ✓','<script>alert(1)</script>');
INSERT INTO "query_attribute" VALUES(5,'name ✓','=1+1');
INSERT INTO "query_attribute" VALUES(6,'name ✓','NULL');
INSERT INTO "query_attribute" VALUES(7,'name ✓','__proto__');
INSERT INTO "query_attribute" VALUES(8,'name ✓','all');
INSERT INTO "query_attribute" VALUES(9,'name ✓','café');
INSERT INTO "query_attribute" VALUES(10,'name ✓','café');
INSERT INTO "query_attribute" VALUES(11,'name ✓','xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx');
INSERT INTO "query_attribute" VALUES(12,'name ✓','{{7*7}}%s%(x)s{0}');
INSERT INTO "query_attribute" VALUES(13,'name ✓','מנוע');
INSERT INTO "query_attribute" VALUES(14,'name ✓','‮gnp.exe');
INSERT INTO "query_attribute" VALUES(15,'name ✓','🦉🇦🇹👩‍🔬');
INSERT INTO "query_attribute" VALUES(16,'lang','de');
INSERT INTO "query_attribute" VALUES(16,'n ✓','007');
INSERT INTO "query_attribute" VALUES(20,'lang','en');
CREATE TABLE "ranking" (
	content_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	retrieved INTEGER NOT NULL, 
	packed BLOB NOT NULL, 
	CONSTRAINT pk_ranking PRIMARY KEY (content_id, query_id), 
	CONSTRAINT fk_ranking_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE, 
	CONSTRAINT fk_ranking_content_id FOREIGN KEY(content_id) REFERENCES content (id) ON DELETE CASCADE
);
INSERT INTO "ranking" VALUES(1,1,1,X'01FF1600000028B52FFD2016B100000100000008002271756F74656422ABAAAAAAAAAA0A40');
INSERT INTO "ranking" VALUES(1,2,7,X'01FF6D00000028B52FFD206D350300C40507000000FFFF02001500026430273B5F44524F505F5441424C455F72756E3B5F2D2D64316432643364346435A0C8EB85F3CCE17FABAAAAAAAAAA0A409A9999999999B93F010000000000000095D626E80B2E11BEE1639D31956AE5C302005921A5C2CD01');
INSERT INTO "ranking" VALUES(1,3,1,X'01FF1E00000028B52FFD201EF100000100000010002E2E2F2E2E2F6574632F706173737764A0C8EB85F3CCE17F');
INSERT INTO "ranking" VALUES(1,4,1,X'01FF2700000028B52FFD20273901000100000019003C7363726970743E616C6572742831293C2F7363726970743E0100000000000000');
INSERT INTO "ranking" VALUES(1,5,1,X'01091300000028B52FFD20139900000100000004003D312B31FFFFFFFFFFFFFFFF00');
INSERT INTO "ranking" VALUES(1,6,1,X'01FF1200000028B52FFD20129100000100000004004E554C4CA0C8EB85F3CCE17F');
INSERT INTO "ranking" VALUES(1,7,1,X'01091800000028B52FFD2018C100000100000009005F5F70726F746F5F5F00E1F5050000000000');
INSERT INTO "ranking" VALUES(1,8,1,X'01FF1100000028B52FFD2011890000010000000300616C6CABAAAAAAAAAA0A40');
INSERT INTO "ranking" VALUES(1,9,1,X'01091500000028B52FFD2015A9000001000000060063616665CC8100E1F5050000000000');
INSERT INTO "ranking" VALUES(1,10,1,X'01FF1300000028B52FFD2013990000010000000500636166C3A90100000000000000');
INSERT INTO "ranking" VALUES(1,11,1,X'0109F703000028B52FFD60F702BD00008001000000E8037800E1F50500000000000100E42B6004');
INSERT INTO "ranking" VALUES(1,12,1,X'01FF1F00000028B52FFD201FF900000100000011007B7B372A377D7D257325287829737B307DE1639D31956AE5C3');
INSERT INTO "ranking" VALUES(1,13,1,X'01091700000028B52FFD2017B90000010000000800D79ED7A0D795D7A2FFFFFFFFFFFFFFFF00');
INSERT INTO "ranking" VALUES(1,14,1,X'01FF1800000028B52FFD2018C10000010000000A00E280AE676E702E657865E1639D31956AE5C3');
INSERT INTO "ranking" VALUES(1,15,1,X'01FF2500000028B52FFD2025290100010000001700F09FA689F09F87A6F09F87B9F09F91A9E2808DF09F94ACABAAAAAAAAAA0A40');
INSERT INTO "ranking" VALUES(2,16,3,X'01001700000028B52FFD2017B900000300000002006431643964326300000000000000010101');
INSERT INTO "ranking" VALUES(2,18,2,X'01001400000028B52FFD2014A100000200000002006435643463000000000000000101');
INSERT INTO "ranking" VALUES(2,19,2,X'01001400000028B52FFD2014A100000200000002006438643663000000000000000101');
INSERT INTO "ranking" VALUES(3,16,2,X'01001400000028B52FFD2014A100000200000002006433643163000000000000000101');
INSERT INTO "ranking" VALUES(3,18,3,X'01001700000028B52FFD2017B900000300000002006435643964346300000000000000010101');
INSERT INTO "ranking" VALUES(3,19,1,X'01001100000028B52FFD20118900000100000002006436630000000000000000');
CREATE TABLE response_time (
	run_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	milliseconds DOUBLE NOT NULL, 
	CONSTRAINT pk_response_time PRIMARY KEY (run_id, query_id), 
	CONSTRAINT fk_response_time_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT fk_response_time_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID;
INSERT INTO "response_time" VALUES(2,16,0.1);
INSERT INTO "response_time" VALUES(2,18,300000000.0);
CREATE TABLE "retrieved" (
	content_id INTEGER NOT NULL,
	query_id INTEGER NOT NULL,
	rank INTEGER NOT NULL,
	docno TEXT NOT NULL,
	score DOUBLE NOT NULL,
	CONSTRAINT pk_retrieved PRIMARY KEY (content_id, query_id, rank)
)
 WITHOUT ROWID;
INSERT INTO "retrieved" VALUES(1,1,1,'"quoted"',3.33333333333333348136e+00);
INSERT INTO "retrieved" VALUES(1,2,1,'d0',1.0e+308);
INSERT INTO "retrieved" VALUES(1,2,2,''';_DROP_TABLE_run;_--',1.0e+308);
INSERT INTO "retrieved" VALUES(1,2,3,'d1',3.33333333333333348136e+00);
INSERT INTO "retrieved" VALUES(1,2,4,'d2',0.1);
INSERT INTO "retrieved" VALUES(1,2,5,'d3',4.94065645841247e-324);
INSERT INTO "retrieved" VALUES(1,2,6,'d4',-1.0e-09);
INSERT INTO "retrieved" VALUES(1,2,7,'d5',-1.23456789012345671677e+19);
INSERT INTO "retrieved" VALUES(1,3,1,'../../etc/passwd',1.0e+308);
INSERT INTO "retrieved" VALUES(1,4,1,'<script>alert(1)</script>',4.94065645841247e-324);
INSERT INTO "retrieved" VALUES(1,5,1,'=1+1',-1.0e-09);
INSERT INTO "retrieved" VALUES(1,6,1,'NULL',1.0e+308);
INSERT INTO "retrieved" VALUES(1,7,1,'__proto__',0.1);
INSERT INTO "retrieved" VALUES(1,8,1,'all',3.33333333333333348136e+00);
INSERT INTO "retrieved" VALUES(1,9,1,'café',0.1);
INSERT INTO "retrieved" VALUES(1,10,1,'café',4.94065645841247e-324);
INSERT INTO "retrieved" VALUES(1,11,1,'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',0.1);
INSERT INTO "retrieved" VALUES(1,12,1,'{{7*7}}%s%(x)s{0}',-1.23456789012345671677e+19);
INSERT INTO "retrieved" VALUES(1,13,1,'מנוע',-1.0e-09);
INSERT INTO "retrieved" VALUES(1,14,1,'‮gnp.exe',-1.23456789012345671677e+19);
INSERT INTO "retrieved" VALUES(1,15,1,'🦉🇦🇹👩‍🔬',3.33333333333333348136e+00);
INSERT INTO "retrieved" VALUES(2,16,1,'d1',99.0);
INSERT INTO "retrieved" VALUES(2,16,2,'d9',98.0);
INSERT INTO "retrieved" VALUES(2,16,3,'d2',97.0);
INSERT INTO "retrieved" VALUES(2,18,1,'d5',99.0);
INSERT INTO "retrieved" VALUES(2,18,2,'d4',98.0);
INSERT INTO "retrieved" VALUES(2,19,1,'d8',99.0);
INSERT INTO "retrieved" VALUES(2,19,2,'d6',98.0);
INSERT INTO "retrieved" VALUES(3,16,1,'d3',99.0);
INSERT INTO "retrieved" VALUES(3,18,1,'d5',99.0);
INSERT INTO "retrieved" VALUES(3,19,1,'d6',99.0);
CREATE TABLE "run" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	engine_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	tag TEXT NOT NULL, 
	queries INTEGER NOT NULL, 
	retrieved BIGINT NOT NULL, 
	parameters JSON, 
	tags JSON, 
	"commit" TEXT, 
	created_at DATETIME NOT NULL, 
	deleted_at DATETIME, 
	index_bytes BIGINT, 
	note TEXT, 
	commit_dirty BOOLEAN, 
	host TEXT, 
	started_by TEXT, 
	started_at DATETIME, 
	ended_at DATETIME, 
	command TEXT, 
	index_version TEXT, 
	collection_version TEXT, 
	header JSON, 
	memory_bytes BIGINT, 
	money DOUBLE, 
	currency TEXT, 
	energy_joules DOUBLE, 
	values_only BOOLEAN DEFAULT 0 NOT NULL, 
	experiment TEXT, 
	content_id INTEGER NOT NULL, 
	CONSTRAINT fk_run_engine_id FOREIGN KEY(engine_id) REFERENCES engine (id) ON DELETE CASCADE, 
	CONSTRAINT uq_run_collection_id_name UNIQUE (collection_id, name), 
	CONSTRAINT fk_run_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_run_content_id FOREIGN KEY(content_id) REFERENCES content (id) ON DELETE CASCADE
);
INSERT INTO "run" VALUES(1,1,1,'odd','t',15,21,NULL,NULL,NULL,'2026-11-27 17:59:20.382902',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,1);
INSERT INTO "run" VALUES(2,2,2,'bm25','bm25',3,7,'{"k1": 1e-05, "n ✓": -0.0, "stem": true, "text": "a \"k1\": 7, {}", "id": "007"}','["stage=dev", "ü"]','cccccccccccccccccccccccccccccccccccccccc','2026-11-27 17:59:20.570122',NULL,1099511627776,'# better
than *before*',1,'a host','ann','2026-11-01 12:00:00.000000','2026-11-01 12:30:00.000005','search --k1 1e-05 ''a b''','2','2026-10 ✓','{"tag": "a", "research goal": {"venue": {"name": "ü"}}}',1099511627776,0.1,'EUR',4.94065645841247e-324,0,'e1',2);
INSERT INTO "run" VALUES(3,2,3,'tfidf','tfidf',3,6,NULL,'["paper"]',NULL,'2026-11-27 17:59:20.662236','2026-11-27 17:59:22.400967',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,3);
INSERT INTO "run" VALUES(4,2,3,'same as tfidf','tfidf',3,6,NULL,NULL,NULL,'2026-11-27 17:59:20.734406',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,3);
INSERT INTO "run" VALUES(5,2,4,'printed','ü',2,0,NULL,NULL,NULL,'2026-11-27 17:59:20.782174',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,4);
CREATE TABLE run_file (
	run_id INTEGER NOT NULL, 
	path_hash TEXT NOT NULL, 
	size BIGINT NOT NULL, 
	version TEXT, 
	bytes_hash TEXT NOT NULL, 
	reading TEXT NOT NULL, 
	CONSTRAINT pk_run_file PRIMARY KEY (run_id, path_hash), 
	CONSTRAINT fk_run_file_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
)
 WITHOUT ROWID;
INSERT INTO "run_file" VALUES(1,'71a0d0c54580e69de3a792d078b9fe066bad5752c3c705dd89034c5b8a8c8b8f',2866,NULL,'aad445fee9e142365d6c26b5ba58982d5a42dcdbe32cfca599d94f07a0899046','01fe98f9ec5b0e3ad46f64d7c620d9aa7e0595a7270ca08e80551adfb65779ab');
INSERT INTO "run_file" VALUES(2,'f560bc79465d69e4e86ca7ff64fbc01df95200e7ee5b499affc0171f82ca5f29',133,NULL,'39c7a3d6fa10cb812ef54aae1aa160458d144d69c4abd8df5f11f10a94cd2ce6','01fe98f9ec5b0e3ad46f64d7c620d9aa7e0595a7270ca08e80551adfb65779ab');
INSERT INTO "run_file" VALUES(3,'559ac6b1a773a9b78d60bdc1a79a3ec2f489091f17ac0a3a30486e1d391b425e',120,NULL,'1878861fed1234cbd37edc0c6af62415c92963ce1ab859a5263a252a0f759f27','01fe98f9ec5b0e3ad46f64d7c620d9aa7e0595a7270ca08e80551adfb65779ab');
INSERT INTO "run_file" VALUES(4,'bee2e39d945aca38d66610f9a88b2835c2ea51c6cf99ec92ab7b0e6a4891b003',120,NULL,'1878861fed1234cbd37edc0c6af62415c92963ce1ab859a5263a252a0f759f27','01fe98f9ec5b0e3ad46f64d7c620d9aa7e0595a7270ca08e80551adfb65779ab');
INSERT INTO "run_file" VALUES(5,'2bc40af8a051316ee5240a3c16ab5e8be4e4388b789e1f17325d2e1eb8ac6c97',95,NULL,'894ed7b95b2ed9eb57b537d2dd0f2a0ceea7d8627e623298966c1f5f8b34faa9','01fe98f9ec5b0e3ad46f64d7c620d9aa7e0595a7270ca08e80551adfb65779ab');
CREATE TABLE run_parent (
	run_id INTEGER NOT NULL, 
	parent_id INTEGER NOT NULL, 
	CONSTRAINT pk_run_parent PRIMARY KEY (run_id), 
	CONSTRAINT fk_run_parent_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT fk_run_parent_parent_id FOREIGN KEY(parent_id) REFERENCES run (id) ON DELETE CASCADE
);
INSERT INTO "run_parent" VALUES(2,3);
CREATE TABLE saved_leaderboard (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	qrels_id INTEGER NOT NULL, 
	measure_id INTEGER NOT NULL, 
	runs INTEGER NOT NULL, 
	test TEXT NOT NULL, 
	alpha DOUBLE NOT NULL, 
	created_at DATETIME NOT NULL, family TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT fk_saved_leaderboard_qrels_id FOREIGN KEY(qrels_id) REFERENCES qrels (id) ON DELETE CASCADE, 
	CONSTRAINT fk_saved_leaderboard_measure_id FOREIGN KEY(measure_id) REFERENCES measure (id) ON DELETE CASCADE, 
	CONSTRAINT uq_saved_leaderboard_qrels_id_measure_id UNIQUE (qrels_id, measure_id)
);
INSERT INTO "saved_leaderboard" VALUES(1,1,1,1,'t',0.05,'2026-11-27 17:59:22.286873','');
INSERT INTO "saved_leaderboard" VALUES(2,1,15,1,'t',0.05,'2026-11-27 17:59:22.286873','');
INSERT INTO "saved_leaderboard" VALUES(3,2,1,4,'t',0.05,'2026-11-27 17:59:22.312643','');
INSERT INTO "saved_leaderboard" VALUES(4,2,15,4,'t',0.05,'2026-11-27 17:59:22.312643','');
CREATE TABLE saved_rank (
	saved_leaderboard_id INTEGER NOT NULL,
	run_id INTEGER NOT NULL,
	rank INTEGER NOT NULL,
	rank_low INTEGER NOT NULL,
	rank_high INTEGER NOT NULL,
	rank_group TEXT NOT NULL,
	low DOUBLE,
	high DOUBLE,
	judged_top_10 DOUBLE,
	verdict TEXT, reason TEXT, sentence TEXT, bounds_low DOUBLE, bounds_high DOUBLE,
	CONSTRAINT pk_saved_rank PRIMARY KEY (saved_leaderboard_id, run_id),
	CONSTRAINT fk_saved_rank_saved_leaderboard_id FOREIGN KEY(saved_leaderboard_id)
		REFERENCES saved_leaderboard (id) ON DELETE CASCADE,
	CONSTRAINT fk_saved_rank_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
)
 WITHOUT ROWID;
INSERT INTO "saved_rank" VALUES(1,1,1,1,1,'a',7.59246148087978522944e-01,9.96264163458187912425e-01,7.14285714285714301574e-01,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "saved_rank" VALUES(2,1,1,1,1,'a',1.56396127817893221267e-01,3.7441548872842722595e-01,7.14285714285714301574e-01,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "saved_rank" VALUES(3,2,1,1,4,'a',8.26936072920494563698e-02,9.92694715424684792637e-01,7.14285714285714301574e-01,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "saved_rank" VALUES(3,3,2,1,4,'a',2.21077463361429443766e-02,0.995642251738843,1.0,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "saved_rank" VALUES(3,4,2,1,4,'a',2.21077463361429443766e-02,0.995642251738843,1.0,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "saved_rank" VALUES(3,5,4,1,4,'a',5.777030606199272042e-03,9.97652252523870353151e-01,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "saved_rank" VALUES(4,2,1,1,4,'a',1.20899139082404183387e-01,6.45118167680591159118e-01,7.14285714285714301574e-01,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "saved_rank" VALUES(4,3,2,1,4,'a',0.0773853372603331,6.11877839905893394778e-01,1.0,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "saved_rank" VALUES(4,4,2,1,4,'a',0.0773853372603331,6.11877839905893394778e-01,1.0,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "saved_rank" VALUES(4,5,2,1,4,'a',1.89796142147951735212e-02,8.72364183083814137553e-01,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE saved_view (
	"key" TEXT NOT NULL, 
	address TEXT NOT NULL, 
	created_at DATETIME NOT NULL, collection_id INTEGER, name TEXT, who TEXT, 
	CONSTRAINT pk_saved_view PRIMARY KEY ("key")
);
INSERT INTO "saved_view" VALUES('jv6d','/c/test?m=AP','2026-11-27 17:59:22.582707',2,'main ✓','root@vm');
INSERT INTO "saved_view" VALUES('pdou','/c/odd%20%E2%9C%93?runs=a,b','2026-11-27 17:59:22.596012',1,NULL,NULL);
CREATE TABLE server_account (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	password_hash TEXT, 
	disabled BOOLEAN DEFAULT 0 NOT NULL, 
	created_at DATETIME NOT NULL, 
	last_login_at DATETIME, 
	CONSTRAINT uq_server_account_name UNIQUE (name)
);
INSERT INTO "server_account" VALUES(1,'ann ✓','person','$argon2id$',0,'2026-11-21 00:00:00.000000',NULL);
CREATE TABLE server_identity (
	issuer TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	account_id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_server_identity PRIMARY KEY (issuer, subject), 
	CONSTRAINT fk_server_identity_account_id FOREIGN KEY(account_id) REFERENCES server_account (id) ON DELETE CASCADE
);
INSERT INTO "server_identity" VALUES('https://login.example','7',1,'2026-11-21 00:00:00.000000');
CREATE TABLE server_invitation (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	hash TEXT NOT NULL, 
	name TEXT, 
	collection_id INTEGER, 
	role TEXT NOT NULL, 
	who TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	used_at DATETIME, 
	CONSTRAINT fk_server_invitation_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_server_invitation_hash UNIQUE (hash)
);
INSERT INTO "server_invitation" VALUES(1,'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc',NULL,1,'reader','ann','2026-11-21 00:00:00.000000','2026-11-21 00:00:00.000000',NULL);
CREATE TABLE server_job (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	kind TEXT NOT NULL, 
	collection_id INTEGER, 
	who TEXT NOT NULL, 
	payload JSON NOT NULL, 
	request_hash TEXT NOT NULL, 
	state TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	lease_until DATETIME, 
	heartbeat_at DATETIME, 
	ended_at DATETIME, 
	not_before DATETIME, 
	result JSON, 
	error TEXT, 
	CONSTRAINT fk_server_job_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE
);
INSERT INTO "server_job" VALUES(1,'ingest',1,'ann','{}','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','waiting',0,'2026-11-21 00:00:00.000000',NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE server_login_attempt (
	name_hash TEXT NOT NULL, 
	address TEXT NOT NULL, 
	failures INTEGER NOT NULL, 
	locked_until DATETIME NOT NULL, 
	CONSTRAINT pk_server_login_attempt PRIMARY KEY (name_hash, address)
);
INSERT INTO "server_login_attempt" VALUES('dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd','192.0.2.1',1,'2026-11-21 00:00:00.000000');
CREATE TABLE server_role (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	account_id INTEGER NOT NULL, 
	collection_id INTEGER, 
	role TEXT NOT NULL, 
	from_groups BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT fk_server_role_account_id FOREIGN KEY(account_id) REFERENCES server_account (id) ON DELETE CASCADE, 
	CONSTRAINT fk_server_role_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_server_role_account_id_collection_id_from_groups UNIQUE (account_id, collection_id, from_groups)
);
INSERT INTO "server_role" VALUES(1,1,1,'contributor',0);
CREATE TABLE server_session (
	hash TEXT NOT NULL, 
	account_id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	last_seen_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	agent TEXT NOT NULL, 
	CONSTRAINT pk_server_session PRIMARY KEY (hash), 
	CONSTRAINT fk_server_session_account_id FOREIGN KEY(account_id) REFERENCES server_account (id) ON DELETE CASCADE
);
INSERT INTO "server_session" VALUES('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',1,'2026-11-21 00:00:00.000000','2026-11-21 00:00:00.000000','2026-11-21 00:00:00.000000','a browser');
CREATE TABLE server_setting (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_server_setting PRIMARY KEY (name)
);
INSERT INTO "server_setting" VALUES('public_url','https://eval.example');
CREATE TABLE server_token (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	prefix TEXT NOT NULL, 
	account_id INTEGER NOT NULL, 
	collection_id INTEGER, 
	scope TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME, 
	last_used_at DATETIME, 
	revoked_at DATETIME, 
	CONSTRAINT fk_server_token_account_id FOREIGN KEY(account_id) REFERENCES server_account (id) ON DELETE CASCADE, 
	CONSTRAINT fk_server_token_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_server_token_hash UNIQUE (hash)
);
INSERT INTO "server_token" VALUES(1,'ci','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','evs_abcd',1,1,'read','2026-11-21 00:00:00.000000','2026-11-21 00:00:00.000000',NULL,NULL);
CREATE TABLE server_upload (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	sha256 TEXT NOT NULL, 
	size BIGINT NOT NULL, 
	received BIGINT NOT NULL, 
	who TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	received_at DATETIME NOT NULL, 
	CONSTRAINT fk_server_upload_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_server_upload_collection_id_sha256 UNIQUE (collection_id, sha256)
);
INSERT INTO "server_upload" VALUES(1,1,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',9,4,'ann','2026-11-21 00:00:00.000000','2026-11-21 00:00:00.000000');
CREATE TABLE server_webhook (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	url TEXT NOT NULL, 
	collection_id INTEGER, 
	tells_of TEXT NOT NULL, 
	secret TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	event_id INTEGER NOT NULL, 
	last_at DATETIME, 
	last_result TEXT, 
	CONSTRAINT fk_server_webhook_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE
);
INSERT INTO "server_webhook" VALUES(1,'https://hook.example/✓',1,'run,gate','evh_','2026-11-21 00:00:00.000000',0,NULL,NULL);
CREATE TABLE subtopic_judgment (
	collection_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	subtopic TEXT NOT NULL, 
	grade DOUBLE NOT NULL, 
	CONSTRAINT pk_subtopic_judgment PRIMARY KEY (collection_id, query_id, docno, subtopic), 
	CONSTRAINT fk_subtopic_judgment_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_subtopic_judgment_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID;
INSERT INTO "subtopic_judgment" VALUES(2,16,'d1','a',1.0);
INSERT INTO "subtopic_judgment" VALUES(2,16,'d1','ü',1.0);
CREATE INDEX ix_aggregate_measure_id ON aggregate (measure_id);
CREATE UNIQUE INDEX uq_qrels_default ON qrels (collection_id) WHERE is_default;
CREATE INDEX ix_saved_leaderboard_measure_id ON saved_leaderboard (measure_id);
CREATE INDEX ix_run_parent_parent_id ON run_parent (parent_id);
CREATE INDEX ix_baseline_run_id ON baseline (run_id);
CREATE INDEX ix_engine_slot_engine_id ON engine_slot (engine_id);
CREATE INDEX ix_event_collection_id ON event (collection_id);
CREATE INDEX ix_saved_view_collection_id ON saved_view (collection_id);
CREATE INDEX ix_server_identity_account_id ON server_identity (account_id);
CREATE INDEX ix_server_invitation_collection_id ON server_invitation (collection_id);
CREATE INDEX ix_server_job_collection_id ON server_job (collection_id);
CREATE INDEX ix_server_job_state_lease_until ON server_job (state, lease_until);
CREATE INDEX ix_server_job_collection_id_request_hash ON server_job (collection_id, request_hash);
CREATE INDEX ix_server_role_collection_id ON server_role (collection_id);
CREATE UNIQUE INDEX uq_server_role_store ON server_role (account_id, from_groups) WHERE collection_id IS NULL;
CREATE INDEX ix_server_session_account_id ON server_session (account_id);
CREATE INDEX ix_server_token_account_id ON server_token (account_id);
CREATE INDEX ix_server_token_collection_id ON server_token (collection_id);
CREATE UNIQUE INDEX uq_server_token_name ON server_token (name) WHERE revoked_at IS NULL;
CREATE INDEX ix_server_webhook_collection_id ON server_webhook (collection_id);
CREATE INDEX ix_experiment_about_experiment_id ON experiment_about (experiment_id);
CREATE INDEX ix_experiment_about_collection_id ON experiment_about (collection_id);
CREATE INDEX ix_run_experiment ON run (experiment);
CREATE INDEX ix_run_engine_id ON run (engine_id);
CREATE INDEX ix_run_content_id ON run (content_id);
CREATE INDEX ix_evaluation_qrels_id ON evaluation (qrels_id);
CREATE TRIGGER delete_retrieved_of_content AFTER DELETE ON "content"
BEGIN
    DELETE FROM retrieved WHERE content_id = OLD.id;
END;
CREATE TRIGGER check_changed_retrieved_content_id BEFORE UPDATE OF content_id ON retrieved
WHEN NOT EXISTS (SELECT 1 FROM "content" WHERE id = NEW.content_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "retrieved" belongs to no content');
END;
CREATE INDEX ix_saved_rank_run_id ON saved_rank (run_id);
CREATE VIEW leaderboard AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       run.experiment AS experiment,
       engine.name AS engine,
       run.name AS run,
       measure.name AS measure,
       aggregate.value AS value,
       aggregate.queries AS queries,
       aggregate.spread AS spread
FROM aggregate
JOIN evaluation ON evaluation.id = aggregate.evaluation_id
JOIN measure ON measure.id = aggregate.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL;
CREATE VIEW query_values AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       measure.name AS measure,
       measurement.value AS value
FROM measurement
JOIN evaluation ON evaluation.id = measurement.evaluation_id
JOIN measure ON measure.id = measurement.measure_id
JOIN query ON query.id = measurement.query_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL;
CREATE VIEW judgments AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       query.qid AS qid,
       query.text AS query,
       judgment.docno AS docno,
       judgment.grade AS grade
FROM judgment
JOIN qrels ON qrels.id = judgment.qrels_id
JOIN query ON query.id = judgment.query_id
JOIN collection ON collection.id = qrels.collection_id
WHERE qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL;
CREATE VIEW retrieved_docs AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       retrieved.rank AS rank,
       retrieved.docno AS docno,
       retrieved.score AS score,
       judgment.grade AS grade
FROM evaluation
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
JOIN retrieved ON retrieved.content_id = evaluation.content_id
JOIN query ON query.id = retrieved.query_id
LEFT JOIN judgment ON judgment.qrels_id = evaluation.qrels_id
    AND judgment.query_id = retrieved.query_id
    AND judgment.docno = retrieved.docno
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL;
CREATE VIEW relevant_found AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       hit.rank AS rank,
       hit.docno AS docno,
       hit.grade AS grade,
       hit.score AS score
FROM hit
JOIN evaluation ON evaluation.id = hit.evaluation_id
JOIN query ON query.id = hit.query_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL;
CREATE VIEW query_attributes AS
SELECT collection.name AS collection,
       query.qid AS qid,
       query_attribute.name AS name,
       query_attribute.value AS value
FROM query_attribute
JOIN query ON query.id = query_attribute.query_id
JOIN collection ON collection.id = query.collection_id
WHERE collection.deleted_at IS NULL;
CREATE VIEW engine_history AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       coalesce(run.started_at, run.created_at) AS at,
       measure.name AS measure,
       aggregate.value AS value,
       lag(aggregate.value) OVER in_time AS previous,
       aggregate.value - lag(aggregate.value) OVER in_time AS difference
FROM aggregate
JOIN evaluation ON evaluation.id = aggregate.evaluation_id
JOIN measure ON measure.id = aggregate.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL
WINDOW in_time AS (
  PARTITION BY collection.name, qrels.name, engine.name, measure.name
  ORDER BY coalesce(run.started_at, run.created_at), run.id
);
CREATE VIEW run_parameters AS
SELECT collection.name AS collection,
       engine.name AS engine,
       run.name AS run,
       parameter.name AS name,
       CASE
         WHEN parameter.type = 'text' THEN parameter.value
         ELSE rtrim(substr(parameter.rest, 1, instr(parameter.rest, ',') - 1), '}')
       END AS value
FROM (
    SELECT run.id AS run_id,
           entry.key AS name,
           entry.type AS type,
           entry.value AS value,
           substr(
             run.parameters,
             instr(run.parameters, '"' || entry.key || '": ') + length(entry.key) + 4
           ) || ',' AS rest
    FROM run
    JOIN json_each(run.parameters) AS entry
) AS parameter
JOIN run ON run.id = parameter.run_id
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL;
CREATE VIEW relevant_missed AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       judgment.docno AS docno,
       judgment.grade AS grade
FROM evaluation
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
JOIN judgment ON judgment.qrels_id = evaluation.qrels_id AND judgment.grade >= 1
JOIN query ON query.id = judgment.query_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL
  AND NOT run.values_only
  AND NOT EXISTS (
    SELECT 1
    FROM hit
    WHERE hit.evaluation_id = evaluation.id
      AND hit.query_id = judgment.query_id
      AND hit.docno = judgment.docno
  );
CREATE VIEW runs_overview AS
SELECT run.id AS run_id,
       collection.name AS collection,
       run.experiment AS experiment,
       engine.name AS engine,
       run.name AS run,
       run.tag AS tag,
       run.queries AS queries_answered,
       CASE WHEN run.values_only THEN NULL ELSE run.retrieved END AS documents_retrieved,
       run.created_at AS ingested_at,
       (
         SELECT count(*)
         FROM evaluation
         JOIN qrels ON qrels.id = evaluation.qrels_id
         WHERE evaluation.content_id = run.content_id
           AND qrels.deleted_at IS NULL
       ) AS evaluations,
       run.values_only AS values_only
FROM run
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL;
CREATE VIEW rprec_differences AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine_a.name AS engine_a,
       run_a.name AS run_a,
       engine_b.name AS engine_b,
       run_b.name AS run_b,
       query.qid AS qid,
       query.text AS query,
       a.value AS value_a,
       b.value AS value_b,
       a.value - b.value AS difference
FROM evaluation AS evaluation_a
JOIN evaluation AS evaluation_b ON evaluation_b.qrels_id = evaluation_a.qrels_id
JOIN measure ON measure.name = 'Rprec'
JOIN measurement AS a ON a.evaluation_id = evaluation_a.id AND a.measure_id = measure.id
JOIN measurement AS b ON b.evaluation_id = evaluation_b.id AND b.measure_id = measure.id
    AND b.query_id = a.query_id
JOIN query ON query.id = a.query_id
JOIN qrels ON qrels.id = evaluation_a.qrels_id
JOIN collection ON collection.id = qrels.collection_id
JOIN run AS run_a ON run_a.content_id = evaluation_a.content_id AND run_a.deleted_at IS NULL
JOIN run AS run_b ON run_b.content_id = evaluation_b.content_id AND run_b.deleted_at IS NULL
    AND run_b.id <> run_a.id
JOIN engine AS engine_a ON engine_a.id = run_a.engine_id
JOIN engine AS engine_b ON engine_b.id = run_b.engine_id
WHERE qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL;
CREATE VIEW leaderboard_ranks AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       measure.name AS measure,
       aggregate.value AS value,
       saved_rank.low AS low,
       saved_rank.high AS high,
       saved_rank.rank AS rank,
       saved_rank.rank_low AS rank_low,
       saved_rank.rank_high AS rank_high,
       saved_rank.rank_group AS rank_group,
       saved_rank.judged_top_10 AS judged_top_10,
       saved_leaderboard.runs AS runs,
       saved_leaderboard.test AS test,
       saved_leaderboard.alpha AS alpha,
       saved_rank.verdict AS verdict,
       saved_leaderboard.family AS family,
       saved_rank.reason AS reason,
       saved_rank.sentence AS sentence,
       saved_rank.bounds_low AS bounds_low,
       saved_rank.bounds_high AS bounds_high
FROM saved_leaderboard
JOIN saved_rank ON saved_rank.saved_leaderboard_id = saved_leaderboard.id
JOIN run ON run.id = saved_rank.run_id
JOIN evaluation ON evaluation.content_id = run.content_id
    AND evaluation.qrels_id = saved_leaderboard.qrels_id
JOIN aggregate ON aggregate.evaluation_id = evaluation.id
    AND aggregate.measure_id = saved_leaderboard.measure_id
JOIN measure ON measure.id = saved_leaderboard.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
JOIN (
    SELECT saved_leaderboard.id AS id,
           count(*) AS runs,
           count(saved_rank.rank) AS ranked
    FROM saved_leaderboard
    JOIN evaluation ON evaluation.qrels_id = saved_leaderboard.qrels_id
    JOIN run ON run.content_id = evaluation.content_id AND run.deleted_at IS NULL
    LEFT JOIN saved_rank ON saved_rank.saved_leaderboard_id = saved_leaderboard.id
        AND saved_rank.run_id = run.id
    GROUP BY saved_leaderboard.id
) AS present ON present.id = saved_leaderboard.id
    AND present.runs = saved_leaderboard.runs
    AND present.ranked = saved_leaderboard.runs
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL;
CREATE INDEX ix_comment_collection_id ON comment (collection_id);
CREATE INDEX ix_comment_run_id ON comment (run_id);
CREATE INDEX ix_comment_query_id ON comment (query_id);
CREATE TRIGGER delete_retrieved_of_query AFTER DELETE ON "query"
BEGIN
    DELETE FROM retrieved WHERE query_id = OLD.id;
END;
CREATE TRIGGER check_changed_retrieved_query_id BEFORE UPDATE OF query_id ON retrieved
WHEN NOT EXISTS (SELECT 1 FROM "query" WHERE id = NEW.query_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "retrieved" belongs to no query');
END;
CREATE TRIGGER delete_hit_of_evaluation AFTER DELETE ON "evaluation"
BEGIN
    DELETE FROM hit WHERE evaluation_id = OLD.id;
END;
CREATE TRIGGER check_changed_hit_evaluation_id BEFORE UPDATE OF evaluation_id ON hit
WHEN NOT EXISTS (SELECT 1 FROM "evaluation" WHERE id = NEW.evaluation_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "hit" belongs to no evaluation');
END;
CREATE TRIGGER delete_hit_of_query AFTER DELETE ON "query"
BEGIN
    DELETE FROM hit WHERE query_id = OLD.id;
END;
CREATE TRIGGER check_changed_hit_query_id BEFORE UPDATE OF query_id ON hit
WHEN NOT EXISTS (SELECT 1 FROM "query" WHERE id = NEW.query_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "hit" belongs to no query');
END;
CREATE TRIGGER delete_measurement_of_evaluation AFTER DELETE ON "evaluation"
BEGIN
    DELETE FROM measurement WHERE evaluation_id = OLD.id;
END;
CREATE TRIGGER check_changed_measurement_evaluation_id BEFORE UPDATE OF evaluation_id ON measurement
WHEN NOT EXISTS (SELECT 1 FROM "evaluation" WHERE id = NEW.evaluation_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "measurement" belongs to no evaluation');
END;
CREATE TRIGGER delete_measurement_of_measure AFTER DELETE ON "measure"
BEGIN
    DELETE FROM measurement WHERE measure_id = OLD.id;
END;
CREATE TRIGGER check_changed_measurement_measure_id BEFORE UPDATE OF measure_id ON measurement
WHEN NOT EXISTS (SELECT 1 FROM "measure" WHERE id = NEW.measure_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "measurement" belongs to no measure');
END;
CREATE TRIGGER delete_measurement_of_query AFTER DELETE ON "query"
BEGIN
    DELETE FROM measurement WHERE query_id = OLD.id;
END;
CREATE TRIGGER check_changed_measurement_query_id BEFORE UPDATE OF query_id ON measurement
WHEN NOT EXISTS (SELECT 1 FROM "query" WHERE id = NEW.query_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "measurement" belongs to no query');
END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('collection',3);
INSERT INTO "sqlite_sequence" VALUES('qrels',5);
INSERT INTO "sqlite_sequence" VALUES('query',21);
INSERT INTO "sqlite_sequence" VALUES('event',30);
INSERT INTO "sqlite_sequence" VALUES('engine',4);
INSERT INTO "sqlite_sequence" VALUES('content',4);
INSERT INTO "sqlite_sequence" VALUES('run',5);
INSERT INTO "sqlite_sequence" VALUES('evaluation',5);
INSERT INTO "sqlite_sequence" VALUES('measure',45);
INSERT INTO "sqlite_sequence" VALUES('saved_leaderboard',4);
INSERT INTO "sqlite_sequence" VALUES('experiment',2);
INSERT INTO "sqlite_sequence" VALUES('comment',2);
INSERT INTO "sqlite_sequence" VALUES('server_account',1);
INSERT INTO "sqlite_sequence" VALUES('server_role',1);
INSERT INTO "sqlite_sequence" VALUES('server_token',1);
INSERT INTO "sqlite_sequence" VALUES('server_invitation',1);
INSERT INTO "sqlite_sequence" VALUES('server_job',1);
INSERT INTO "sqlite_sequence" VALUES('server_webhook',1);
INSERT INTO "sqlite_sequence" VALUES('server_upload',1);
COMMIT;
