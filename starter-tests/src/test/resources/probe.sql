--liquibase formatted sql

--changeset probe:1
create table probe (id int);
