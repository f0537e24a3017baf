package io.leasehold.key;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.lang.ref.WeakReference;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Time;
import java.sql.Timestamp;
import java.text.SimpleDateFormat;
import java.time.Clock;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.chrono.HijrahDate;
import java.time.chrono.IsoChronology;
import java.time.chrono.JapaneseDate;
import java.time.chrono.JapaneseEra;
import java.time.chrono.MinguoDate;
import java.time.chrono.ThaiBuddhistDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.SimpleTimeZone;
import java.util.StringJoiner;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Values of the JDK.
 */
final class JdkValues {

	private static final String UNSTABLE = "does not identify";

	private static final String SEVERAL = "where one value is needed";

	private static final String OWN = "does not override toString()";

	private JdkValues() {
	}

	static void addTo(KeyCatalogue rows) {
		addTexts(rows.group("Texts and numbers"));
		addTimes(rows.group("Dates and times"));
		addOthers(rows.group("Other values of the JDK"));
		addContainers(rows.group("Containers"));
		addWork(rows.group("Work, locks and resources"));
	}

	private static void addTexts(KeyCatalogue rows) {
		rows.key("String", "a b", () -> "a b", () -> "a  b")
			.key("String \"null\"", "null", () -> "null", () -> "Null")
			.key("String of a user with @", "john.Doe@cafe1234", () -> "john.Doe@cafe1234", () -> "x")
			.key("StringBuilder", "ab", () -> new StringBuilder("ab"), () -> new StringBuilder("b"))
			.key("CharBuffer", "ab", () -> CharBuffer.wrap("ab"), () -> CharBuffer.wrap("b"))
			.key("Character", "c", () -> 'c', () -> 'C')
			.key("Boolean", "true", () -> true, () -> false)
			.key("Byte", "-1", () -> (byte) -1, () -> (byte) 1)
			.key("Short", "7", () -> (short) 7, () -> (short) 8)
			.key("Integer", "1234567", () -> 1234567, () -> 123456)
			.key("Long", "9000000000", () -> 9000000000L, () -> 9000000001L)
			.key("BigInteger", "18446744073709551616", () -> BigInteger.TWO.pow(64), () -> BigInteger.TWO)
			.key("BigDecimal", "1.50", () -> new BigDecimal("1.50"), () -> new BigDecimal("1.5"))
			.key("BigDecimal with an exponent", "1E+3", () -> new BigDecimal("1E3"), () -> new BigDecimal("1000"));
		rows.refused("null", "is null", () -> null)
			.refused("Double", "BigDecimal", () -> 0.1)
			.refused("Double 0.0", "BigDecimal", () -> 0.0)
			.refused("Double -0.0", "BigDecimal", () -> -0.0)
			.refused("Double NaN", "BigDecimal", () -> Double.NaN)
			.refused("Float", "BigDecimal", () -> 0.1f)
			.refused("Float infinity", "BigDecimal", () -> Float.POSITIVE_INFINITY)
			.refused("AtomicInteger", UNSTABLE, () -> new AtomicInteger(1))
			.refused("AtomicLong", UNSTABLE, () -> new AtomicLong(1))
			.refused("AtomicBoolean", UNSTABLE, AtomicBoolean::new)
			.refused("LongAdder", UNSTABLE, LongAdder::new)
			.refused("StringJoiner", UNSTABLE, () -> new StringJoiner(","));
	}

	private static void addTimes(KeyCatalogue rows) {
		LocalDate day = LocalDate.of(2026, 1, 31);
		LocalDateTime noon = day.atTime(12, 0);
		rows.key("Instant", "1970-01-01T00:00:00.500Z", () -> Instant.ofEpochMilli(500), () -> Instant.EPOCH)
			.key("LocalDate", "2026-01-31", () -> day, () -> day.plusDays(1))
			.key("LocalTime", "12:00", noon::toLocalTime, () -> LocalTime.of(0, 0))
			.key("LocalDateTime", "2026-01-31T12:00", () -> noon, () -> noon.plusNanos(1))
			.key("OffsetDateTime", "2026-01-31T12:00+02:00", () -> noon.atOffset(ZoneOffset.ofHours(2)),
					() -> OffsetDateTime.of(noon, ZoneOffset.UTC))
			.key("OffsetTime", "12:00Z", () -> OffsetTime.of(12, 0, 0, 0, ZoneOffset.UTC),
					() -> OffsetTime.of(12, 0, 0, 0, ZoneOffset.MAX))
			.key("ZonedDateTime", "2026-01-31T12:00+01:00[Europe/Berlin]",
					() -> noon.atZone(ZoneId.of("Europe/Berlin")),
					() -> ZonedDateTime.of(noon, ZoneId.of("Europe/Paris")))
			.key("Year", "2026", () -> Year.of(2026), () -> Year.of(26))
			.key("YearMonth", "2026-01", () -> YearMonth.of(2026, 1), () -> YearMonth.of(2026, 2))
			.key("MonthDay", "--01-31", () -> MonthDay.of(1, 31), () -> MonthDay.of(1, 30))
			.key("Month", "MAY", () -> Month.MAY, () -> Month.JUNE)
			.key("DayOfWeek", "MONDAY", () -> DayOfWeek.MONDAY, () -> DayOfWeek.SUNDAY)
			.key("Duration", "PT1M", () -> Duration.ofSeconds(60), () -> Duration.ofSeconds(61))
			.key("Period", "P12M", () -> Period.ofMonths(12), () -> Period.ofYears(1))
			.key("ZoneId", "Europe/Berlin", () -> ZoneId.of("Europe/Berlin"), () -> ZoneId.of("Europe/Paris"))
			.key("ZoneOffset", "+02:00", () -> ZoneOffset.ofHours(2), () -> ZoneOffset.ofHours(3))
			.key("HijrahDate", "Hijrah-umalqura AH 1447-08-12", () -> HijrahDate.from(day),
					() -> HijrahDate.from(day.plusDays(1)))
			.key("JapaneseDate", "Japanese Reiwa 8-01-31", () -> JapaneseDate.from(day),
					() -> JapaneseDate.from(day.plusDays(1)))
			.key("JapaneseEra", "Reiwa", () -> JapaneseEra.REIWA, () -> JapaneseEra.HEISEI)
			.key("MinguoDate", "Minguo ROC 115-01-31", () -> MinguoDate.from(day),
					() -> MinguoDate.from(day.plusDays(1)))
			.key("ThaiBuddhistDate", "ThaiBuddhist BE 2569-01-31", () -> ThaiBuddhistDate.from(day),
					() -> ThaiBuddhistDate.from(day.plusDays(1)));
		rows.refused("java.util.Date", "toInstant()", () -> new Date(0))
			.refused("subclass of Date", "toInstant()", () -> new Date(0) {
			})
			.refused("java.sql.Date", "toLocalDate()", () -> new java.sql.Date(0))
			.refused("java.sql.Time", "toLocalTime()", () -> new Time(0))
			.refused("java.sql.Timestamp", "toInstant()", () -> new Timestamp(0))
			.refused("Calendar", "toInstant()", Calendar::getInstance)
			.refused("TimeZone", "getID()", () -> TimeZone.getTimeZone("UTC"))
			.refused("SimpleTimeZone", "getID()", () -> new SimpleTimeZone(0, "X"))
			.refused("Clock", UNSTABLE, Clock::systemDefaultZone)
			.refused("Chronology", UNSTABLE, () -> IsoChronology.INSTANCE)
			.refused("DateTimeFormatter", UNSTABLE, () -> DateTimeFormatter.ISO_DATE)
			// Newer JDKs give it a text, which is refused too
			.refused("DateFormat", "SimpleDateFormat", () -> new SimpleDateFormat("yyyy"));
	}

	private static void addOthers(KeyCatalogue rows) {
		rows.key("UUID", "00000000-0000-0001-0000-000000000002", () -> new UUID(1, 2), () -> new UUID(1, 3))
			.key("enum", "DAYS", () -> TimeUnit.DAYS, () -> TimeUnit.HOURS)
			.key("Locale", "de_AT", () -> new Locale("de", "AT"), () -> Locale.GERMAN)
			.key("Locale with a script", "zh_TW_#Hant", () -> Locale.forLanguageTag("zh-Hant-TW"), () -> Locale.TAIWAN)
			.key("Currency", "EUR", () -> Currency.getInstance("EUR"), () -> Currency.getInstance("USD"))
			.key("Charset", "UTF-8", () -> StandardCharsets.UTF_8, () -> StandardCharsets.UTF_16);
		rows.refused("Locale without language", "empty", () -> new Locale("", "", "WIN"))
			.refused("Class", "getName()", () -> String.class)
			.refused("Method", UNSTABLE, () -> Object.class.getMethods()[0])
			.refused("Object", OWN, Object::new)
			.refused("File", UNSTABLE, () -> new File("a"))
			.refused("Path", UNSTABLE, () -> Path.of("a"))
			.refused("URI", UNSTABLE, () -> URI.create("http://A"))
			.refused("URL", UNSTABLE, () -> JdkValues.class.getResource("JdkValues.class"))
			.refused("InetAddress", UNSTABLE, InetAddress::getLoopbackAddress)
			.refused("InetSocketAddress", UNSTABLE, () -> InetSocketAddress.createUnresolved("a", 1))
			.refused("Pattern", UNSTABLE, () -> Pattern.compile("a"))
			.refused("BitSet", UNSTABLE, () -> new BitSet(1))
			.refused("Throwable", UNSTABLE, () -> new IllegalStateException("x"));
	}

	private static void addContainers(KeyCatalogue rows) {
		rows.refused("Optional", "orElseThrow()", () -> Optional.of(1))
			.refused("empty Optional", "orElseThrow()", Optional::empty)
			.refused("OptionalInt", "orElseThrow()", () -> OptionalInt.of(1))
			.refused("OptionalLong", "orElseThrow()", () -> OptionalLong.of(1))
			.refused("OptionalDouble", "orElseThrow()", () -> OptionalDouble.of(1))
			.refused("AtomicReference", UNSTABLE, () -> new AtomicReference<>("a"))
			.refused("AtomicReference of null", UNSTABLE, () -> new AtomicReference<>())
			.refused("WeakReference", OWN, () -> new WeakReference<>("a"))
			.refused("ThreadLocal", OWN, () -> ThreadLocal.withInitial(() -> "a"))
			.refused("Map.Entry", UNSTABLE, () -> Map.entry("a", 1))
			.refused("Map", SEVERAL, () -> Map.of("a", 1, "b", 2))
			.refused("HashMap", SEVERAL, () -> new HashMap<>(Map.of("a", 1, "b", 2)))
			.refused("Properties", SEVERAL, Properties::new)
			.refused("Iterator", SEVERAL, () -> List.of(1).iterator())
			.refused("Spliterator", OWN, () -> List.of(1).spliterator())
			.refused("Enumeration", OWN, () -> new Properties().elements())
			.refused("Stream", SEVERAL, () -> Stream.of(1))
			.refused("IntStream", SEVERAL, () -> IntStream.of(1))
			.refused("plain Iterable", SEVERAL, () -> (Iterable<Object>) () -> List.<Object>of(1).iterator())
			.refused("ByteBuffer", UNSTABLE, () -> ByteBuffer.allocate(1));
		Map<String, Supplier<Object>> collections = new LinkedHashMap<>();
		collections.put("List", () -> List.of("a", "b"));
		collections.put("Set.of", () -> Set.of("a", "b"));
		collections.put("HashSet", () -> new HashSet<>(Set.of("a", "b")));
		collections.put("EnumSet", () -> EnumSet.of(TimeUnit.DAYS));
		collections.put("ArrayDeque", () -> new ArrayDeque<>(List.of("a")));
		collections.put("values of a map", () -> Map.of("a", 1).values());
		collections.put("PriorityQueue", () -> new PriorityQueue<>(List.of(1)));
		collections.put("concurrent set", ConcurrentHashMap::newKeySet);
		collections.put("int[]", () -> new int[] { 1 });
		collections.put("byte[]", () -> new byte[] { 1 });
		collections.put("String[]", () -> new String[] { "a" });
		collections.put("int[][]", () -> new int[][] { { 1 } });
		collections.forEach((name, value) -> {
			rows.refusedUse(name + " as a part", "'k:' + #value", "object", SEVERAL, value::get);
			rows.refusedUse(name + " as a part", "{#value, 'a'}", "object", SEVERAL, value::get);
			rows.refusedUse(name + " as an element", "#value", "object", SEVERAL, () -> List.of(value.get()));
		});
	}

	private static void addWork(KeyCatalogue rows) {
		rows.refused("CompletableFuture", UNSTABLE, () -> CompletableFuture.completedFuture(1))
			.refused("CompletionStage", UNSTABLE, () -> CompletableFuture.completedStage(1))
			.refused("FutureTask", UNSTABLE, () -> new FutureTask<>(() -> 1))
			.refused("Supplier", OWN, () -> (Supplier<Object>) () -> 1)
			.refused("Callable", OWN, () -> (Callable<Object>) () -> 1)
			.refused("Runnable", OWN, () -> (Runnable) () -> {
			})
			.refused("method reference", OWN, () -> (Supplier<Object>) "a"::length)
			.refused("Executor", OWN, () -> (Executor) Runnable::run)
			.refused("Flow.Publisher", OWN, SubmissionPublisher::new)
			.refused("lambda as Flow.Publisher", OWN, () -> (Flow.Publisher<Object>) (subscriber) -> {
			})
			.refused("ReentrantLock", UNSTABLE, ReentrantLock::new)
			.refused("ReadWriteLock", UNSTABLE, ReentrantReadWriteLock::new)
			.refused("Semaphore", UNSTABLE, () -> new Semaphore(1))
			.refused("CountDownLatch", UNSTABLE, () -> new CountDownLatch(1))
			.refused("Thread", UNSTABLE, Thread::currentThread)
			.refused("ThreadGroup", UNSTABLE, () -> Thread.currentThread().getThreadGroup())
			.refused("ClassLoader", OWN, KeyCatalogue.class::getClassLoader)
			.refused("Random", OWN, () -> new Random(1))
			.refused("InputStream", OWN, () -> new ByteArrayInputStream(new byte[0]));
	}

}
