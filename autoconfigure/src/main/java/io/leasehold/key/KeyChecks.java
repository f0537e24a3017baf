package io.leasehold.key;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.StringUtils;

/**
 * Checks of the names in an expression. SpEL itself would fail at the call, or evaluate
 * an unknown name to null.
 */
record KeyChecks(String attribute, String text, KeyVariables variables, BeanFactory beans) {

	private static final Set<String> ROOT_PROPERTIES = new TreeSet<>(
			List.of("args", "method", "target", "targetClass"));

	void checkNames(SpelNode root) {
		checkNames(root, false);
	}

	/**
	 * Check the names in a node and its children.
	 * @param inElement whether a bare name means an element's property, as in selections
	 */
	private void checkNames(SpelNode node, boolean inElement) {
		if (node instanceof VariableReference) {
			checkVariable(node.toStringAST().substring(1), inElement);
		}
		else if (node instanceof BeanReference) {
			checkBean(node.toStringAST().replaceFirst("^@", "").replace("'", ""));
		}
		else if (node instanceof FunctionReference) {
			throw problem("calls the function %s, which does not exist".formatted(node.toStringAST()),
					"Call a method of a parameter, of #target or of a bean, such as @beanName.method(#id).");
		}
		else if (node instanceof Assign) {
			throw problem("assigns a value",
					"Write == to compare. A %s must not change anything.".formatted(this.attribute));
		}
		else if (!inElement) {
			checkHead(node);
		}
		if (node instanceof InlineMap) {
			return; // its keys look like properties; rejected at the call
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			boolean continued = node instanceof CompoundExpression && i > 0;
			if (continued) {
				checkNamesBelow(node.getChild(i - 1), child, inElement);
			}
			else if (!isRootProperty(node)) {
				checkNames(child, inElement || node instanceof Selection || node instanceof Projection);
			}
		}
	}

	/** Whether a property of the call is read, as in {@code #root.method}. */
	private boolean isRootProperty(SpelNode node) {
		return node instanceof CompoundExpression && "#root".equals(node.getChild(0).toStringAST())
				&& node.getChild(1) instanceof PropertyOrFieldReference && this.variables.hidden("root") == null;
	}

	/** Check a member after a dot: only its arguments or index can contain names. */
	private void checkNamesBelow(SpelNode before, SpelNode member, boolean inElement) {
		if (before instanceof VariableReference && "#root".equals(before.toStringAST())
				&& member instanceof PropertyOrFieldReference property
				&& !ROOT_PROPERTIES.contains(property.getName())) {
			throw problem("reads #root.%s, which does not exist".formatted(property.getName()),
					"#root has %s.".formatted(String.join(", ", ROOT_PROPERTIES)));
		}
		boolean element = inElement || member instanceof Selection || member instanceof Projection;
		for (int i = 0; i < member.getChildCount(); i++) {
			checkNames(member.getChild(i), element);
		}
	}

	private void checkVariable(String name, boolean inElement) {
		if (this.variables.isKnown(name) || inElement && "this".equals(name)) {
			return;
		}
		Integer hidden = this.variables.hidden(name);
		if (hidden != null) {
			throw problem("uses #%s, which is not the parameter '%s'".formatted(name, name),
					"Write #p%s for the parameter.".formatted(hidden));
		}
		if ("root".equals(name)) {
			throw problem("uses #root, which is another object in each call",
					"Read one of its properties, such as #root.method.name, or %s"
						.formatted(StringUtils.uncapitalize(instead())));
		}
		if ("this".equals(name)) {
			throw problem("uses #this outside of a projection or selection", instead());
		}
		if (this.variables.lacksNames()) {
			throw problem("uses #%s, but the class was compiled without parameter names".formatted(name),
					"Compile with -parameters, or use %s.".formatted(positions()));
		}
		throw InvalidKeyExpressionException.ofMissingParameter(this.attribute, this.text, name, instead());
	}

	private void checkBean(String name) {
		if (!this.beans.containsBean(name)) {
			throw problem("uses @%s, but there is no bean '%s'".formatted(name, name),
					"Use the name of a bean of the application, or a method of a parameter or of #target.");
		}
	}

	private String instead() {
		List<String> choices = new ArrayList<>();
		this.variables.names().forEach((name) -> choices.add("#" + name));
		if (this.variables.count() > 0) {
			choices.add(positions());
		}
		choices.add("#target");
		return "Use %s.".formatted(String.join(" or ", choices));
	}

	private String positions() {
		return IntStream.range(0, this.variables.count()).mapToObj((i) -> "#p" + i).collect(Collectors.joining(", "));
	}

	/** Check a leading bare name, which means a member of the root object. */
	private void checkHead(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property && !ROOT_PROPERTIES.contains(property.getName())) {
			String name = property.getName();
			throw problem("uses the bare name %s".formatted(name),
					this.variables.isKnown(name) ? "Write #%s for the parameter.".formatted(name)
							: "Write '%s' in single quotes for fixed text, or %s".formatted(name,
									StringUtils.uncapitalize(instead())));
		}
		if (node instanceof MethodReference method) {
			throw problem("calls %s without a target".formatted(method.toStringAST()),
					"Write #target.%s for a method of the bean.".formatted(method.toStringAST()));
		}
	}

	private InvalidKeyExpressionException problem(String problem, String action) {
		return InvalidKeyExpressionException.of(this.attribute, this.text, problem, action);
	}

}
