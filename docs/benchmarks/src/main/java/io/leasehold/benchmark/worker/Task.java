package io.leasehold.benchmark.worker;

import java.io.Serializable;

import io.leasehold.benchmark.contender.Contender;

/**
 * What a worker does in one round.
 */
@FunctionalInterface
public interface Task extends Serializable {

	/**
	 * Do it, which takes as long as the round lasts.
	 * @param contender locks
	 * @param worker number of the worker, from zero
	 * @return what was seen
	 */
	Sample run(Contender contender, int worker) throws Exception;

}
