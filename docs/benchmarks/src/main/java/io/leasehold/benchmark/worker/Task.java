package io.leasehold.benchmark.worker;

import java.io.Serializable;

import io.leasehold.benchmark.contender.Contender;

/**
 * The task of a worker in one round.
 */
@FunctionalInterface
public interface Task extends Serializable {

	/**
	 * Run the task for the length of the round.
	 * @param contender the contender to measure
	 * @param worker number of the worker, from zero
	 * @return the measurements
	 */
	Sample run(Contender contender, int worker) throws Exception;

}
