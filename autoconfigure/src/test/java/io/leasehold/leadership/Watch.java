package io.leasehold.leadership;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.Queue;

/**
 * Writes down every few milliseconds whether a candidate leads, and its events. Each line
 * is in the file before the next one is known, so that it outlives the JVM.
 */
final class Watch implements Runnable {

	/** First word of a line: a term that was valid between two times. */
	static final String LEADS = "leads";

	/** First word of a line: a term that has begun. */
	static final String GRANTED = "granted";

	/** First word of a line: a term that has ended. */
	static final String REVOKED = "revoked";

	private final Candidate candidate;

	private final Queue<Object> events;

	private final OutputStream lines;

	Watch(Candidate candidate, Queue<Object> events, Path file) throws IOException {
		this.candidate = candidate;
		this.events = events;
		this.lines = new FileOutputStream(file.toFile());
	}

	@Override
	public void run() {
		try (this.lines) {
			while (true) {
				long before = System.nanoTime();
				OptionalLong term = this.candidate.term();
				long after = System.nanoTime();
				if (term.isPresent()) {
					write("%s %d %d %d".formatted(LEADS, term.getAsLong(), before, after));
				}
				for (Object event = this.events.poll(); event != null; event = this.events.poll()) {
					write(text(event));
				}
				Thread.sleep(2);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void write(String line) throws IOException {
		this.lines.write((line + "\n").getBytes(StandardCharsets.UTF_8));
	}

	/** Return an event as a line. */
	static String text(Object event) {
		return (event instanceof LeadershipGrantedEvent granted) ? GRANTED + " " + granted.term()
				: REVOKED + " " + ((LeadershipRevokedEvent) event).cause();
	}

}
