CREATE TABLE application_first (id INT);
