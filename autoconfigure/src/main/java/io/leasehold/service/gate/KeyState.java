package io.leasehold.service.gate;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * State of one key in this process at one moment.
 *
 * @param engine name of the engine
 * @param now reading of the clock at that moment
 * @param waiting callers that wait for the key, in the order of their arrival
 * @param held holds of the key, including closed ones that remain
 * @param parked last hold of a parked grant, {@code null} if none is parked
 */
public record KeyState(String engine, long now, List<Waiter> waiting, List<Held> held, @Nullable Hold parked) {

	/**
	 * A hold and its use.
	 *
	 * @param handles number of its open handles
	 */
	public record Held(Hold hold, Hold.Use use, int handles) {
	}

}
