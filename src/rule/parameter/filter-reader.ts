import type { ErrorCode } from '../../error/catalog.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import type { ScalarType } from '../../model/value-type.ts'
import { allOf, always, anyOf, negate } from '../../query/conditions.ts'
import type { Condition, FieldPath, Scalar } from '../../query/query-plan.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { FilterExpression } from './filter-expression.ts'
import {
  type FilterableField,
  type FilterOperator,
  maxSearchLength,
  operandType,
  toFilterableField,
} from './filter-operators.ts'
import { type FieldReference, pathTooLong, resolveWirePath } from './resolve-wire-path.ts'
import { checkTypedLiteral, parseTypedValue, type TypedValue } from './typed-value.ts'

/** The operands of a comparison: the text of a parameter, or the literals of an expression. */
type ComparisonOperand =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'literals'; readonly literals: readonly Scalar[] }

interface Comparison {
  readonly parameter: string
  readonly field: string
  /** Undefined for the default operator: `filter[title]=Dune`. */
  readonly operator: string | undefined
  readonly operand: ComparisonOperand
}

/** Counts the comparisons and connectives of several filters, and the characters of patterns. */
export interface FilterNodeCounter {
  readonly label: string
  count: number
  patternLength: number
  values: number
}

export function createFilterNodeCounter(label: string): FilterNodeCounter {
  return { label, count: 0, patternLength: 0, values: 0 }
}

/** Turns filters into conditions, collects their problems, and counts their nodes. */
export class FilterReader {
  readonly problems: Problem[] = []
  readonly #views: ModelViews
  readonly #view: ModelView
  readonly #limits: RouterLimits
  readonly #nodes: FilterNodeCounter
  readonly #parse: (type: ScalarType, text: string) => TypedValue

  /**
   * @param nodes shared with the readers of other filters
   * @param parse the text of a value
   */
  constructor(
    views: ModelViews,
    view: ModelView,
    limits: RouterLimits,
    nodes: FilterNodeCounter,
    parse: (type: ScalarType, text: string) => TypedValue = parseTypedValue,
  ) {
    this.#views = views
    this.#view = view
    this.#limits = limits
    this.#nodes = nodes
    this.#parse = parse
  }

  readExpression(parameter: string, expression: FilterExpression): Condition {
    if (expression.kind === 'comparison') {
      const { operator, field, literals } = expression
      return this.readComparison({
        parameter,
        field,
        operator,
        operand: { kind: 'literals', literals },
      })
    }
    if (!this.#count(parameter)) return always
    const operands = expression.operands.map((operand) => this.readExpression(parameter, operand))
    if (expression.name === 'not') return negate(operands[0]!)
    return expression.name === 'and' ? allOf(operands) : anyOf(operands)
  }

  readComparison({ parameter, field, operator, operand }: Comparison): Condition {
    if (!this.#count(parameter)) return always
    const path = resolveWirePath(this.#views, this.#view, field, {
      relationDepth: this.#limits.maxRelationDepth,
      isUsable: (reference) => toFilterableField(reference) !== undefined,
    })
    if (path.kind === 'tooLong')
      return this.#refuse(pathTooLong(field, { parameter }, this.#limits))
    if (path.kind === 'unresolved')
      return this.addProblem(
        parameter,
        'unknown-field',
        `Cannot filter by '${truncate(field)}': ${path.reason}`,
      )
    const target = toFilterableField(path.reference)
    if (!target)
      return this.addProblem(
        parameter,
        'invalid-filter',
        `Cannot filter by '${truncate(field)}'. ${isStructReference(path.reference) ? 'Filter by one of its members, with a dotted name.' : 'Its values cannot be compared.'}`,
      )
    return this.#compare({ parameter, field, operator, operand }, target, { names: path.names })
  }

  /** A comparison with a value whose name is no path of the model. */
  readNamedComparison(comparison: Comparison, target: FilterableField): Condition {
    return this.#count(comparison.parameter)
      ? this.#compare(comparison, target, { names: [comparison.field] })
      : always
  }

  #compare(
    { parameter, field, operator, operand }: Comparison,
    target: FilterableField,
    path: FieldPath,
  ): Condition {
    const name = operator ?? (target.operators.has('eq') ? 'eq' : 'any')
    const filterOperator = target.operators.get(name)
    if (!filterOperator) {
      const statement = `Unknown operator '${truncate(name)}' for '${truncate(field)}'`
      const detail = unknownName(statement, name, [...target.operators.keys()])
      return this.addProblem(parameter, 'unknown-operator', detail)
    }
    return this.#apply(parameter, filterOperator, target, path, operand)
  }

  addProblem(
    parameter: string,
    code: ErrorCode,
    detail: string,
    meta?: Record<string, unknown>,
  ): Condition {
    return this.#refuse(problem(code, detail, { parameter }, meta))
  }

  #refuse(found: Problem): Condition {
    this.problems.push(found)
    return always
  }

  #apply(
    parameter: string,
    operator: FilterOperator,
    { type }: FilterableField,
    path: FieldPath,
    operand: ComparisonOperand,
  ): Condition {
    const values = this.#values(
      parameter,
      operandType(operator.operandKind, type),
      operand,
      operator.operandKind,
    )
    if (!values) return always
    const [value] = values
    switch (operator.operandKind) {
      case 'values':
        return values.length === 0
          ? this.#valueMissing(parameter)
          : operator.condition(path, values)
      case 'flag':
        if (value === null) return this.#valueMissing(parameter)
        return value === false ? negate(operator.condition(path)) : operator.condition(path)
      case 'value':
      case 'bound':
        return value === undefined ? this.#valueMissing(parameter) : operator.condition(path, value)
      case 'text':
        if (typeof value !== 'string') return this.#valueMissing(parameter)
        if (value.length > maxSearchLength)
          return this.#tooLong(parameter, 'The search text', maxSearchLength)
        return operator.condition(path, value)
      case 'pattern':
        if (typeof value !== 'string') return this.#valueMissing(parameter)
        return this.#isPattern(parameter, value) ? operator.condition(path, value) : always
    }
  }

  /** The typed values; undefined if there are too many or one is invalid. */
  #values(
    parameter: string,
    type: ScalarType,
    operand: ComparisonOperand,
    operandKind: FilterOperator['operandKind'],
  ): Scalar[] | undefined {
    const maxValues = operandKind === 'values' ? this.#limits.maxFilterValues : 1
    const rawValues =
      operand.kind === 'text'
        ? operandKind === 'values'
          ? operand.text.split(',')
          : [operand.text]
        : operand.literals
    if (rawValues.length > maxValues) {
      this.addProblem(
        parameter,
        'limit-exceeded',
        `Expected at most ${maxValues} ${maxValues === 1 ? 'value' : 'values'}, got ${rawValues.length}.`,
        { limit: maxValues },
      )
      return undefined
    }
    const { maxTotalFilterValues } = this.#limits
    const valuesBefore = this.#nodes.values
    this.#nodes.values += rawValues.length
    if (valuesBefore <= maxTotalFilterValues && this.#nodes.values > maxTotalFilterValues)
      this.addProblem(
        parameter,
        'limit-exceeded',
        `${this.#nodes.label} must have at most ${maxTotalFilterValues} values together.`,
        { limit: maxTotalFilterValues },
      )
    const values: Scalar[] = []
    for (const raw of rawValues) {
      const typed =
        operand.kind === 'text' ? this.#parse(type, String(raw)) : checkTypedLiteral(type, raw)
      if (typed.kind === 'value') values.push(typed.value)
      else
        this.addProblem(
          parameter,
          'invalid-value',
          `Expected ${typed.expected}, got '${truncate(String(raw))}'.${valueHint(parameter, String(raw))}`,
        )
    }
    return values.length === rawValues.length ? values : undefined
  }

  #valueMissing(parameter: string): Condition {
    return this.addProblem(
      parameter,
      'invalid-filter',
      "The comparison has no value. Write it as in eq(title,'Dune').",
    )
  }

  /** Is the pattern within the limits? The cost of a match grows with the pattern and the text. */
  #isPattern(parameter: string, pattern: string): boolean {
    const { maxWildcards, maxPatternLength, maxTotalPatternLength } = this.#limits
    const problemCount = this.problems.length
    if (pattern.length > maxPatternLength) this.#tooLong(parameter, 'A pattern', maxPatternLength)
    if (pattern.replaceAll(/[^%_]/g, '').length > maxWildcards)
      this.addProblem(
        parameter,
        'limit-exceeded',
        `A pattern must have at most ${maxWildcards} wildcards.`,
        { limit: maxWildcards },
      )
    const before = this.#nodes.patternLength
    this.#nodes.patternLength += pattern.length
    if (before <= maxTotalPatternLength && this.#nodes.patternLength > maxTotalPatternLength)
      this.#tooLong(
        parameter,
        `All patterns of ${uncapitalize(this.#nodes.label)} together`,
        maxTotalPatternLength,
      )
    return this.problems.length === problemCount
  }

  #tooLong(parameter: string, subject: string, limit: number): Condition {
    return this.addProblem(
      parameter,
      'limit-exceeded',
      `${subject} must have at most ${limit} characters.`,
      { limit },
    )
  }

  #count(parameter: string): boolean {
    const { maxFilterNodes } = this.#limits
    this.#nodes.count++
    if (this.#nodes.count === maxFilterNodes + 1) {
      this.addProblem(
        parameter,
        'limit-exceeded',
        `${this.#nodes.label} must have at most ${maxFilterNodes} comparisons and connectives together.`,
        { limit: maxFilterNodes },
      )
    }
    return this.#nodes.count <= maxFilterNodes
  }
}

function uncapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function isStructReference(reference: FieldReference): boolean {
  return reference.kind === 'value' && reference.type.kind === 'struct'
}

/** What was probably meant by a value that does not fit. */
function valueHint(parameter: string, value: string): string {
  if (missingPlusPattern.test(value)) return " In a query string '+' is a space. Write '%2B'."
  return value === 'null' && parameter.endsWith(']')
    ? ` Write '${parameter.replace(comparisonSuffix, '')}[isNull]=true' for no value.`
    : ''
}

const comparisonSuffix = /(?<=\])\[(?:eq|ne|gte?|lte?|n?in)\]$/

/** A date-time whose plus sign was decoded as a space. */
const missingPlusPattern = /T.* \d\d:\d\d$/
