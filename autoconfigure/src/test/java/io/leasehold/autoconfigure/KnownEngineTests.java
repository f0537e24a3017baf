package io.leasehold.autoconfigure;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class KnownEngineTests {

	private static final ClassLoader LOADER = KnownEngineTests.class.getClassLoader();

	@TempDir
	private Path folder;

	private final SortedMap<String, KnownEngine> known = KnownEngine.all(LOADER);

	@Test
	void eachEngineIsDescribedWithItsAutoConfiguration() {
		assertThat(this.known.values()
			.stream()
			.collect(Collectors.toMap(KnownEngine::name, (engine) -> engine.text("auto-configuration"))))
			.isEqualTo(autoConfigurations())
			.containsKeys("jdbc", "local", "redis", "zookeeper");
	}

	/** Simple names of the auto-configurations of all engines, by the engines' names. */
	private static Map<String, String> autoConfigurations() {
		return StreamSupport.stream(ImportCandidates.load(AutoConfiguration.class, LOADER).spliterator(), false)
			.filter((name) -> name.startsWith("io.leasehold."))
			.map((name) -> ClassUtils.resolveClassName(name, LOADER))
			.filter((type) -> MergedAnnotations.from(type).isPresent(ConditionalOnLockEngine.class))
			.collect(Collectors.toMap(
					(type) -> MergedAnnotations.from(type).get(ConditionalOnLockEngine.class).getString("value"),
					Class::getSimpleName));
	}

	@Test
	void clientOfEachEngineIsFoundByItsClasses() {
		assertThat(this.known.values()).allSatisfy((engine) -> assertThat(engine.hasClient(LOADER)).isTrue());
	}

	@Test
	void everyAlternativeOfAClassExists() {
		assertThat(this.known.values()).allSatisfy((engine) -> assertThat(
				Arrays.stream(engine.description().getOrDefault("client-classes", "").split("[,|]"))
					.filter((name) -> !name.isEmpty()))
			.allMatch((name) -> ClassUtils.isPresent(name, LOADER)));
	}

	/** Spring Boot manages no version of them. */
	@Test
	void dependencyNamesTheVersionThatIsTested() throws ClassNotFoundException {
		for (String engine : List.of("memcached", "zookeeper")) {
			String[] artifact = this.known.get(engine).text("artifacts").split(":");
			Class<?> client = Class.forName(this.known.get(engine).description().get("client-classes"));
			assertThat(client.getProtectionDomain().getCodeSource().getLocation().getPath()).as(engine)
				.endsWith("/%s-%s.jar".formatted(artifact[1], artifact[2]));
		}
	}

	@Test
	void descriptionsContainNoOtherEntries() {
		assertThat(this.known.values()).allSatisfy((engine) -> assertThat(engine.description().keySet())
			.isSubsetOf("first-steps", "artifacts", "properties", "auto-configuration", "client-classes"));
	}

	@Test
	void engineOfAnotherJarIsDescribed() throws Exception {
		assertThat(withFile("etched.artifacts=stone").get("etched")).extracting((engine) -> engine.text("artifacts"))
			.isEqualTo("stone");
	}

	@ParameterizedTest
	@ValueSource(strings = { "artifacts=stone", ".artifacts=stone", "etched.=stone" })
	void lineThatNamesNoEngineOrEntryIsReportedWithItsFile(String line) {
		assertThatExceptionOfType(LockEngineConfigurationException.class).isThrownBy(() -> withFile(line))
			.withMessageContaining("'%s'".formatted(line.substring(0, line.indexOf('='))))
			.withMessageContaining(this.folder.toUri().getPath() + KnownEngine.LOCATION);
	}

	@Test
	void fileThatIsNotWellFormedIsReported() {
		assertThatExceptionOfType(LockEngineConfigurationException.class)
			.isThrownBy(() -> withFile("etched.artifacts=\\u00"))
			.withMessageContaining(this.folder.toUri().getPath() + KnownEngine.LOCATION)
			.withMessageContaining("encoding");
	}

	private SortedMap<String, KnownEngine> withFile(String line) throws IOException {
		Path file = this.folder.resolve(KnownEngine.LOCATION);
		Files.createDirectories(file.getParent());
		Files.writeString(file, line);
		try (URLClassLoader loader = new URLClassLoader(new URL[] { this.folder.toUri().toURL() }, LOADER)) {
			return KnownEngine.all(loader);
		}
	}

}
