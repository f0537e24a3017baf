package io.leasehold.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * All Markdown pages of the project, and the files they speak of.
 */
public final class Manual {

	private static final Path ROOT = root();

	/** Folders of what builds and tools leave behind. Other processes change them. */
	private static final Pattern NOT_OURS = Pattern.compile("target.*|\\..+|node_modules|data");

	private Manual() {
	}

	static List<Page> pages() {
		return files((name) -> name.endsWith(".md")).map(Page::read).toList();
	}

	static Page page(String name) {
		return Page.read(ROOT.resolve(name));
	}

	public static Path file(String name) {
		return ROOT.resolve(name);
	}

	/** Files by their paths from the root of the project. */
	static Stream<Path> files(Predicate<String> names) {
		List<Path> files = new ArrayList<>();
		try {
			Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {

				@Override
				public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
					boolean ours = folder.equals(ROOT) || !NOT_OURS.matcher(folder.getFileName().toString()).matches();
					return ours ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
				}

				@Override
				public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
					if (attributes.isRegularFile() && names.test(nameOf(file))) {
						files.add(file);
					}
					return FileVisitResult.CONTINUE;
				}

			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return files.stream().sorted();
	}

	static String nameOf(Path file) {
		return ROOT.relativize(file).toString().replace('\\', '/');
	}

	public static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path root() {
		Path folder = Path.of("").toAbsolutePath();
		while (!Files.exists(folder.resolve("CHANGELOG.md"))) {
			folder = folder.getParent();
		}
		return folder;
	}

}
