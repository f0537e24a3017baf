package io.leasehold.transaction;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/**
 * Row of the table that transactions write.
 */
@Entity
@Table(name = "sold")
class SoldEntity {

	@Id
	private String what = "";

	SoldEntity() {
	}

	SoldEntity(String what) {
		this.what = what;
	}

}
