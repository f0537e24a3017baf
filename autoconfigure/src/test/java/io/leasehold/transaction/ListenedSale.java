package io.leasehold.transaction;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Table;

/**
 * Row of the table of sales, whose listener runs in the flush.
 */
@Entity
@Table(name = "sale")
class ListenedSale {

	@Id
	private String id = "";

	ListenedSale() {
	}

	ListenedSale(String id) {
		this.id = id;
	}

	@PostPersist
	void written() {
		InsideCommitContract.REACHED.get().accept(InsideCommitContract.Moment.FLUSH);
	}

}
