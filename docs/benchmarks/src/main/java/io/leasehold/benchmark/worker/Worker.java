package io.leasehold.benchmark.worker;

import java.io.EOFException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;

import io.leasehold.benchmark.contender.Contender;
import io.leasehold.benchmark.contender.Contenders;
import io.leasehold.benchmark.store.Store;

/**
 * A JVM with one contender, which reads tasks from its input and writes samples to its
 * output.
 */
public final class Worker {

	private Worker() {
	}

	/**
	 * Work until the input ends.
	 * @param arguments store, contender, address of the store, number of the worker
	 */
	public static void main(String[] arguments) {
		try (ObjectOutputStream samples = new ObjectOutputStream(System.out);
				ObjectInputStream tasks = new ObjectInputStream(System.in)) {
			System.setOut(System.err);
			try (Contender contender = Contenders.open(Store.valueOf(arguments[0]), arguments[1], arguments[2])) {
				work(tasks, samples, contender, Integer.parseInt(arguments[3]));
			}
		}
		catch (Exception ex) {
			ex.printStackTrace();
			System.exit(1);
		}
		System.exit(0); // some libraries leave threads behind
	}

	private static void work(ObjectInputStream tasks, ObjectOutputStream samples, Contender contender, int number)
			throws Exception {
		try {
			while (true) {
				Task task = (Task) tasks.readObject();
				samples.writeObject(task.run(contender, number));
				samples.flush();
			}
		}
		catch (EOFException ex) {
			// no more work
		}
	}

}
