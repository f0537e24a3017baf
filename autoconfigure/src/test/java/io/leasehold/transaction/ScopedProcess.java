package io.leasehold.transaction;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.leasehold.test.contract.JvmProcess;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;

/**
 * Another JVM with a transaction that has locked a key and written a row, and commits on
 * command. It can be killed, frozen and woken.
 */
final class ScopedProcess implements AutoCloseable {

	private final JvmProcess process;

	private ScopedProcess(JvmProcess process) {
		this.process = process;
	}

	/**
	 * Start another JVM, and lock a key in it.
	 * @param what the row that its transaction writes
	 * @param setting statement that the transaction executes last
	 */
	static ScopedProcess start(String url, String namespace, String key, String what, String setting) {
		ScopedProcess started = new ScopedProcess(
				JvmProcess.start(ScopedProcess.class, List.of(url, namespace, key, what, setting)));
		started.process.expect("locked");
		return started;
	}

	/** Let the transaction commit, and return the name of its exception, or nothing. */
	String commit() {
		this.process.tell("commit");
		return this.process.expect("ended");
	}

	void kill() {
		this.process.kill();
	}

	void freeze() {
		this.process.freeze();
	}

	void wake() {
		this.process.wake();
	}

	@Override
	public void close() {
		this.process.close();
	}

	/**
	 * The other process.
	 * @param args URL, namespace, key, row and statement
	 */
	public static void main(String[] args) {
		try (ScopedApplication application = new ScopedApplication(args[0], args[1], List.of())) {
			JdbcTemplate jdbc = application.bean(JdbcTemplate.class);
			application.transaction(TransactionDefinition.ISOLATION_READ_COMMITTED).executeWithoutResult((status) -> {
				jdbc.update("INSERT INTO sold VALUES (?)", args[3]);
				application.bean(ScopedShop.class).patiently(args[2]);
				jdbc.execute(args[4]);
				System.out.println("locked");
				awaitCommand();
			});
			System.out.println("ended");
		}
		catch (DataAccessException | TransactionException ex) {
			System.out.println("ended " + ex.getClass().getSimpleName());
		}
	}

	private static void awaitCommand() {
		try {
			new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
