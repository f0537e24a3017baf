package io.leasehold;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.jspecify.annotations.Nullable;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The text of a value contains no password, and neither does the message if the value is
 * refused. The values are found by the names of their components, so those that are added
 * later are checked as well.
 */
@Fault(190)
class SecretValuesTests {

	private static final String SECRET = "s3cr3t";

	private static final String REFUSED = "refused: ";

	private static final String PASSWORD = "(?i).*(password|secret|credential).*";

	private static final String ADDRESS = "(?i).*(address|endpoint|node|server|url|uri|host|connectString).*";

	private static final JavaClasses LIBRARY = new ClassFileImporter()
		.withImportOption(new ArchitectureTests.MainClasses())
		.importPackages(ArchitectureTests.ROOT);

	/**
	 * Records that may contain a password, also in an address or in another record. The
	 * host of a lock's holder is the name of its machine.
	 */
	private final List<Class<?>> holders = LIBRARY.stream()
		.filter(JavaClass::isRecord)
		.<Class<?>>map(JavaClass::reflect)
		.filter(SecretValuesTests::mayHoldAPassword)
		.toList();

	@Test
	void recordsThatMayContainAPasswordAreFound() {
		assertThat(this.holders).extracting(Class::getSimpleName)
			.contains("JdbcLogin", "Login", "Node", "EtcdConnection", "EtcdProperties",
					"PropertiesEtcdConnectionDetails", "RedlockProperties", "MemcachedProperties",
					"ZooKeeperProperties");
	}

	/** Each record accepts one of these addresses. */
	@Test
	void textOfAValueDoesNotContainItsPassword() {
		Map<Class<?>, String> texts = texts("host:1");
		texts("http://host:1")
			.forEach((type, text) -> texts.merge(type, text, (one, other) -> one.startsWith(REFUSED) ? other : one));
		assertThat(texts).allSatisfy(
				(type, text) -> assertThat(text).as(type.getName()).doesNotStartWith(REFUSED).doesNotContain(SECRET));
	}

	@ParameterizedTest
	@ValueSource(strings = { "http://user:s3cr3t@host:1", "user:s3cr3t@host:1" })
	void addressWithAPasswordIsRefusedOrNotInTheText(String address) {
		assertThat(texts(address))
			.allSatisfy((type, text) -> assertThat(text).as(type.getName()).doesNotContain(SECRET));
	}

	/** The method of a record is generated, or replaced by such a method. */
	@Test
	void noWrittenTextReadsAPassword() {
		List<JavaMethod> texts = LIBRARY.stream()
			.flatMap((type) -> type.getMethods().stream())
			.filter((method) -> method.getName().equals("toString"))
			.toList();
		assertThat(texts).isNotEmpty()
			.flatExtracting(JavaMethod::getAccessesFromSelf)
			.noneMatch((access) -> access.getTarget().getName().matches(PASSWORD));
	}

	private static boolean mayHoldAPassword(Class<?> type) {
		return type.isRecord() && Stream.of(type.getRecordComponents())
			.anyMatch((component) -> component.getName().matches(PASSWORD)
					|| (component.getName().matches(ADDRESS) && isText(component) && !isHolder(type))
					|| mayHoldAPassword(component.getType()));
	}

	private static boolean isHolder(Class<?> type) {
		return Stream.of(type.getRecordComponents())
			.map(RecordComponent::getName)
			.toList()
			.containsAll(List.of("host", "process", "thread"));
	}

	private static boolean isText(RecordComponent component) {
		return List
			.of("java.lang.String", "java.net.URI", "java.util.List<java.lang.String>", "java.util.List<java.net.URI>")
			.contains(component.getGenericType().getTypeName());
	}

	private Map<Class<?>, String> texts(String address) {
		Map<Class<?>, String> texts = new LinkedHashMap<>();
		this.holders.forEach((type) -> texts.put(type, text(type, address)));
		return texts;
	}

	private static String text(Class<?> type, String address) {
		try {
			return create(type, address).toString();
		}
		catch (IllegalArgumentException ex) {
			StringWriter text = new StringWriter();
			ex.printStackTrace(new PrintWriter(text));
			return REFUSED + text;
		}
	}

	private static Object create(Class<?> type, String address) {
		RecordComponent[] components = type.getRecordComponents();
		try {
			Constructor<?> constructor = type
				.getDeclaredConstructor(Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
			constructor.setAccessible(true);
			return constructor
				.newInstance(Arrays.stream(components).map((component) -> value(component, address)).toArray());
		}
		catch (InvocationTargetException ex) {
			if (ex.getCause() instanceof IllegalArgumentException refusal) {
				throw refusal;
			}
			throw new AssertionError("This test has to learn how to create a " + type, ex);
		}
		catch (ReflectiveOperationException ex) {
			throw new AssertionError(ex);
		}
	}

	/** Others than those that may contain a password are null, or the least one. */
	private static @Nullable Object value(RecordComponent component, String address) {
		String name = component.getName();
		String text = name.matches(PASSWORD) ? SECRET : name.matches(ADDRESS) ? address : "text";
		return switch (component.getGenericType().getTypeName()) {
			case "java.lang.String" -> text;
			case "char[]" -> text.toCharArray();
			case "java.util.List<java.lang.String>" -> List.of(text);
			case "java.net.URI" -> URI.create(text);
			case "java.util.List<java.net.URI>" -> List.of(URI.create(text));
			case "java.time.Instant" -> Instant.EPOCH;
			case "int" -> 0;
			case "long" -> 0L;
			case "boolean" -> false;
			default -> component.getType().isRecord() ? create(component.getType(), address) : null;
		};
	}

}
