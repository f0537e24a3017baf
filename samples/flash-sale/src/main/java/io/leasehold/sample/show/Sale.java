package io.leasehold.sample.show;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A sale that is running or has ended.
 *
 * @param id its number
 * @param units the number of units at its start
 * @param leftOver the number of units left, as the shop's own count says
 * @param buyers the number of concurrent buyers
 * @param locked whether each purchase acquires the lock
 * @param running whether it has not ended
 * @param seconds its duration until now or until its end
 * @param sold the number of purchases
 * @param soldOnce the number of units that exactly one buyer purchased
 */
record Sale(long id, int units, int leftOver, int buyers, boolean locked, boolean running, double seconds, int sold,
		int soldOnce) {

	@JsonProperty
	int oversold() {
		return Math.max(0, this.sold - this.units);
	}

	/** Units per second that exactly one buyer purchased. */
	@JsonProperty
	double soldOncePerSecond() {
		return (this.seconds > 0) ? this.soldOnce / this.seconds : 0;
	}

}
