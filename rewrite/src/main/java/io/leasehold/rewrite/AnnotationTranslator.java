package io.leasehold.rewrite;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Visitor of Java sources that replaces one annotation by {@code @DistributedLock}, or
 * adds a comment to it.
 */
abstract class AnnotationTranslator extends JavaIsoVisitor<ExecutionContext> {

	/** Declarations for the parser: the sources need not have the starter yet. */
	private static final String[] LEASEHOLD = { """
			package io.leasehold.annotation;
			public @interface DistributedLock {
				String key();
				String waitTime() default "";
				String lease() default "";
				String maxHold() default "";
				String minHold() default "";
				String fallback() default "";
				WhenBusy whenBusy() default WhenBusy.THROW;
				io.leasehold.LockMode mode() default io.leasehold.LockMode.EXCLUSIVE;
			}
			""", """
			package io.leasehold.annotation;
			public enum WhenBusy { THROW, SKIP }
			""", """
			package io.leasehold;
			public enum LockMode { EXCLUSIVE, SHARED }
			""" };

	private static final String[] IMPORTS = { "io.leasehold.annotation.DistributedLock",
			"io.leasehold.annotation.WhenBusy", "io.leasehold.LockMode" };

	private final String type;

	AnnotationTranslator(String type) {
		this.type = type;
	}

	/** Translate the attributes of an annotation at the cursor. */
	abstract void translate(Attributes attributes, Translation lock);

	@Override
	public boolean isAcceptable(SourceFile source, ExecutionContext context) {
		return source instanceof J.CompilationUnit;
	}

	@Override
	public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
		if (!TypeUtils.isOfClassType(annotation.getType(), this.type)) {
			return super.visitAnnotation(annotation, context);
		}
		Translation lock = new Translation();
		translate(new Attributes(annotation), lock);
		if (!(getCursor().getParentTreeCursor().getValue() instanceof J.MethodDeclaration)) {
			lock.leave("it is between modifiers. Put it before them");
		}
		if (lock.obstacle() != null) {
			return Comments.add(getCursor(), annotation, List.of("not migrated: " + lock.obstacle()));
		}
		J.Annotation replaced = replace(annotation, lock, context);
		return Comments.add(getCursor(), replaced, lock.changes());
	}

	private J.Annotation replace(J.Annotation annotation, Translation lock, ExecutionContext context) {
		J.Annotation replaced = JavaTemplate.builder(lock.template())
			.imports(IMPORTS)
			.javaParser(JavaParser.fromJavaVersion().dependsOn(LEASEHOLD))
			.build()
			.apply(getCursor(), annotation.getCoordinates().replace(), lock.arguments());
		for (String imported : IMPORTS) {
			maybeAddImport(imported);
		}
		typesIn(annotation).forEach(this::maybeRemoveImport);
		return autoFormat(replaced, context).withPrefix(annotation.getPrefix());
	}

	/** Return the types and constants that an annotation refers to. */
	private static Set<String> typesIn(J.Annotation annotation) {
		Set<String> types = new HashSet<>();
		new JavaIsoVisitor<Set<String>>() {

			@Override
			public J.Identifier visitIdentifier(J.Identifier identifier, Set<String> found) {
				JavaType.FullyQualified type = TypeUtils.asFullyQualified(identifier.getType());
				if (type != null) {
					found.add(type.getFullyQualifiedName());
				}
				JavaType.Variable field = identifier.getFieldType();
				if (field != null && field.getOwner() instanceof JavaType.FullyQualified owner) {
					found.add(owner.getFullyQualifiedName() + "." + identifier.getSimpleName());
				}
				return identifier;
			}

		}.visit(annotation, types);
		return types;
	}

	/**
	 * Return the class and method of the annotation, such as {@code com.shop.Orders.pay}.
	 */
	final String methodName() {
		J.ClassDeclaration type = getCursor().firstEnclosing(J.ClassDeclaration.class);
		J.MethodDeclaration method = getCursor().firstEnclosing(J.MethodDeclaration.class);
		return (type != null && type.getType() != null && method != null)
				? type.getType().getFullyQualifiedName() + "." + method.getSimpleName() : "";
	}

	/** Return the annotations of the annotated element and of those around it. */
	final List<J.Annotation> annotationsAround() {
		List<J.Annotation> annotations = new ArrayList<>();
		for (Cursor cursor = getCursor(); cursor != null; cursor = cursor.getParent()) {
			if (cursor.getValue() instanceof J.MethodDeclaration method) {
				annotations.addAll(method.getLeadingAnnotations());
			}
			else if (cursor.getValue() instanceof J.ClassDeclaration type) {
				annotations.addAll(type.getLeadingAnnotations());
			}
		}
		return annotations;
	}

}
