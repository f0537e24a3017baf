CREATE TABLE application_later (id INT);
