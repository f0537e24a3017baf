package io.leasehold.docs;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * An incident that {@link IncidentsIntegrationTests} stages, and the first check that the
 * manual names for its symptom: the path of a request, or a text in the log.
 */
enum Incident {

	HANGING_HOLDER("A holder hangs", "requests-wait", "LockBusyException", null,
			"Lock 'order:41' could not be acquired within …",
			"It is held by shop@web-3 (pid 5215, thread payer) since …"),

	HOT_KEY("Many callers need one key", "requests-wait", "/actuator/locks", null,
			"\"contended\":[{\"engine\":\"redis\",\"key\":\"stock:7\",\"name\":\"StockService.move\",\"waits\":8,"),

	DEAD_JOB("The process of a job died during the run", "a-job-does-not-run",
			"/actuator/locks/redis?key=nightly-report", null,
			"\"last\":{\"application\":\"shop\",\"host\":\"web-3\",\"process\":5215,\"thread\":\"reporter\"",
			"\"outcome\":\"lease ended\"",
			"\"name\":\"Reports.nightly\",\"age\":null,\"called\":…,\"outcome\":\"busy\""),

	LOST_BY_STORE("The store lost a lock", "a-lock-was-lost", "was lost", null,
			"Lock 'order:43' (OrderService.pay) was lost after … ms by thread payer: the store no longer knows this owner"),

	LOST_BY_PAUSE("A process stood still", "a-lock-was-lost", "was lost", null,
			"Lock 'order:44' (OrderService.pay) was lost after … ms by thread payer: its lease expired",
			"This process stood still for … ms"),

	LOST_BY_OPERATOR("An operator released a lock", "a-lock-was-lost", "was lost",
			"Release of lock 'order:45' was forced by 'unknown'",
			"Lock 'order:45' (OrderService.pay) was lost after … ms by thread payer: it was released by force"),

	SLOW_STORE("The store is slow", "the-store-does-not-respond", "/actuator/health/locks", null,
			"\"location\":\"127.0.0.1:6379\"", "\"latencyMs\":…", "\"status\":\"UP\""),

	SILENT_STORE("The store is slower than the timeout of a request", "the-store-does-not-respond",
			"/actuator/health/locks", null, "\"location\":\"127.0.0.1:6379\"", "no response in time (… ms)",
			"\"status\":\"DOWN\""),

	DEAD_STORE("The store is down", "the-store-does-not-respond", "/actuator/health/locks", null,
			"\"location\":\"127.0.0.1:6379\"", "Unable to connect to …:6379", "\"status\":\"DOWN\""),

	DEADLOCK("A deadlock in one process", "a-deadlock", "Deadlock: thread … waits for lock …", null,
			"thread packer waits for lock 'order:46' of thread payer, which waits for lock 'stock:46' of thread packer"),

	DEADLOCK_OF_TWO("A deadlock between two processes", "a-deadlock", "/actuator/locks/redis/deadlocks", null,
			"\"process\":5215,\"thread\":\"payer\",\"since\":…,\"key\":\"stock:47\"",
			"\"process\":4711,\"thread\":\"packer\",\"since\":…,\"key\":\"order:47\""),

	DEAD_HOLDER("The process of a holder died", "a-key-of-a-dead-instance", "/actuator/locks/redis?key=order:42", null,
			"\"application\":\"shop\",\"host\":\"web-3\",\"process\":5215,\"thread\":\"payer\"",
			"\"remaining\":\"PT…S\""),

	SHUTDOWN("An instance restarts, and a holder does not finish", "a-shutdown-takes-long",
			"The shutdown waits for … locks that are held on engine …", null,
			"'order:48' (OrderService.pay, held for … ms by thread payer)");

	private final String title;

	private final String section;

	private final String firstCheck;

	private final @Nullable String secondText;

	private final List<String> texts;

	Incident(String title, String section, String firstCheck, @Nullable String secondText, String... texts) {
		this.title = title;
		this.section = section;
		this.firstCheck = firstCheck;
		this.secondText = secondText;
		this.texts = List.of(texts);
	}

	/** Anchor of the symptom on the page. */
	String section() {
		return this.section;
	}

	String firstCheck() {
		return this.firstCheck;
	}

	boolean isRequest() {
		return this.firstCheck.startsWith("/");
	}

	/** Return the texts that the first check shows, with the examples of the manual. */
	List<String> texts() {
		return this.texts;
	}

	/**
	 * Return the text that only a second check shows, in the log of the instance that the
	 * operator used; {@code null} if the first check shows the cause and who caused it.
	 */
	@Nullable String secondText() {
		return this.secondText;
	}

	/**
	 * Return 3 if the first check shows the cause and who caused it, 2 if a second check
	 * is necessary.
	 */
	int score() {
		return (this.secondText == null) ? 3 : 2;
	}

	/** Row of the table on the page. */
	String row() {
		return "| [%s](#%s) | %s`%s` | %s%s |".formatted(this.title, this.section, isRequest() ? "" : "log: ",
				this.firstCheck,
				this.texts.stream().map((text) -> "`" + text + "`").collect(Collectors.joining("<br>")),
				(this.secondText == null) ? ""
						: "<br>second check, in the log of the operator's instance: `" + this.secondText + "`");
	}

	/** Return a pattern for a text in which … stands for any text. */
	static Pattern pattern(String text) {
		return Pattern.compile(Stream.of(text.split("…", -1)).map(Pattern::quote).collect(Collectors.joining(".*?")));
	}

}
