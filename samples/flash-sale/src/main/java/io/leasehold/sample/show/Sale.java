package io.leasehold.sample.show;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A sale, running or over.
 *
 * @param id its number
 * @param units how many units there were
 * @param leftOver how many the shop believes to be left
 * @param buyers how many buy at the same time
 * @param locked whether they take turns
 * @param running whether it is not over yet
 * @param seconds how long it has run
 * @param sold how many were really sold
 */
record Sale(long id, int units, int leftOver, int buyers, boolean locked, boolean running, double seconds, int sold) {

	@JsonProperty
	int oversold() {
		return Math.max(0, this.sold - this.units);
	}

	@JsonProperty
	long perSecond() {
		return (this.seconds > 0) ? Math.round(this.sold / this.seconds) : 0;
	}

}
