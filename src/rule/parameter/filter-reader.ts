import type { ErrorCode } from '../../error/catalog.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
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
import {
  type FieldReference,
  joinNames,
  pathTooLong,
  resolveWirePath,
} from './resolve-wire-path.ts'
import { checkTypedLiteral, parseTypedValue } from './typed-value.ts'

/** The values of a comparison: the text of a parameter, or the literals of an expression. */
type ComparisonOperand =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'literals'; readonly literals: readonly Scalar[] }

interface Comparison {
  readonly parameter: string
  readonly field: string
  /** Undefined where none was written: `filter[title]=Dune`. */
  readonly operator: string | undefined
  readonly operand: ComparisonOperand
}

/**
 * The comparisons and connectives of filters that are counted together, and the characters of their
 * patterns.
 */
export interface FilterNodeCounter {
  readonly label: string
  count: number
  patternLength: number
}

export function createFilterNodeCounter(of: string): FilterNodeCounter {
  return { label: of, count: 0, patternLength: 0 }
}

/** Makes conditions of filters: gathers their faults, and counts their nodes. */
export class FilterReader {
  readonly problems: Problem[] = []
  readonly #views: ModelViews
  readonly #view: ModelView
  readonly #limits: RouterLimits
  readonly #nodes: FilterNodeCounter

  /** @param nodes what was counted before, by readers of other filters */
  constructor(views: ModelViews, view: ModelView, limits: RouterLimits, nodes: FilterNodeCounter) {
    this.#views = views
    this.#view = view
    this.#limits = limits
    this.#nodes = nodes
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
    const path = resolveWirePath(this.#views, this.#view, field, this.#limits.maxRelationDepth)
    if (path.kind === 'tooLong')
      return this.#refused(pathTooLong(field, { parameter }, this.#limits))
    if (path.kind === 'lost')
      return this.addProblem(
        parameter,
        'unknown-field',
        `There is no field '${truncate(field)}' to filter by: ${path.reason}.`,
      )
    const target = toFilterableField(path.reference)
    if (!target)
      return this.addProblem(
        parameter,
        'invalid-filter',
        `'${truncate(field)}' cannot be filtered by${isStructReference(path.reference) ? '; its members may be, by their dotted names' : ''}.`,
      )
    const name = operator ?? (target.operators.has('eq') ? 'eq' : 'any')
    const found = target.operators.get(name)
    if (!found) {
      const known = joinNames([...target.operators.keys()])
      return this.addProblem(
        parameter,
        'unknown-operator',
        `'${truncate(field)}' has no operator '${truncate(name)}'; it has ${known}.`,
      )
    }
    return this.#apply(parameter, found, target, { names: path.names }, operand)
  }

  addProblem(
    parameter: string,
    code: ErrorCode,
    detail: string,
    meta?: Record<string, unknown>,
  ): Condition {
    return this.#refused(problem(code, detail, { parameter }, meta))
  }

  #refused(fault: Problem): Condition {
    this.problems.push(fault)
    return always
  }

  #apply(
    parameter: string,
    operator: FilterOperator,
    { type }: FilterableField,
    path: FieldPath,
    written: ComparisonOperand,
  ): Condition {
    const values = this.#values(
      parameter,
      operandType(operator.operandKind, type),
      written,
      operator.operandKind,
    )
    if (!values) return always
    const [value] = values
    switch (operator.operandKind) {
      case 'several':
        return values.length === 0
          ? this.#valueMissing(parameter)
          : operator.condition(path, values)
      case 'flag':
        if (value === null) return this.#valueMissing(parameter)
        return value === false ? negate(operator.condition(path)) : operator.condition(path)
      case 'one':
      case 'bound':
        return value === undefined ? this.#valueMissing(parameter) : operator.condition(path, value)
      case 'text':
        if (typeof value !== 'string') return this.#valueMissing(parameter)
        if (value.length > maxSearchLength)
          return this.#tooLong(parameter, 'A text to search for', maxSearchLength)
        return operator.condition(path, value)
      case 'pattern':
        if (typeof value !== 'string') return this.#valueMissing(parameter)
        return this.#isPattern(parameter, value) ? operator.condition(path, value) : always
    }
  }

  /**
   * The values, read by the field's type; undefined, with the faults gathered, when they are too
   * many or do not fit.
   */
  #values(
    parameter: string,
    type: ScalarType,
    written: ComparisonOperand,
    takes: FilterOperator['operandKind'],
  ): Scalar[] | undefined {
    const most = takes === 'several' ? this.#limits.maxFilterValues : 1
    const raw =
      written.kind === 'text'
        ? takes === 'several'
          ? written.text.split(',')
          : [written.text]
        : written.literals
    if (raw.length > most) {
      this.addProblem(
        parameter,
        'limit-exceeded',
        `At most ${most} ${most === 1 ? 'value is' : 'values are'} compared with here.`,
        { limit: most },
      )
      return undefined
    }
    const values: Scalar[] = []
    for (const one of raw) {
      const typed =
        written.kind === 'text' ? parseTypedValue(type, String(one)) : checkTypedLiteral(type, one)
      if (typed.kind === 'value') values.push(typed.value)
      else
        this.addProblem(
          parameter,
          'invalid-value',
          `'${truncate(String(one))}' does not fit; expected is ${typed.expected}.${missingPlusPattern.test(String(one)) ? " In a query string '+' is a space; write '%2B'." : ''}`,
        )
    }
    return values.length === raw.length ? values : undefined
  }

  #valueMissing(parameter: string): Condition {
    return this.addProblem(
      parameter,
      'invalid-filter',
      "The comparison lacks its value, as in eq(title,'Dune').",
    )
  }

  /** A pattern costs its length for every character of a text that it is held against. */
  #isPattern(parameter: string, pattern: string): boolean {
    const { maxWildcards, maxPatternLength, maxTotalPatternLength } = this.#limits
    const faults = this.problems.length
    if (pattern.length > maxPatternLength) this.#tooLong(parameter, 'A pattern', maxPatternLength)
    if (pattern.replaceAll(/[^%_]/g, '').length > maxWildcards)
      this.addProblem(
        parameter,
        'limit-exceeded',
        `A pattern holds at most ${maxWildcards} wildcards.`,
        { limit: maxWildcards },
      )
    const before = this.#nodes.patternLength
    this.#nodes.patternLength += pattern.length
    if (before <= maxTotalPatternLength && this.#nodes.patternLength > maxTotalPatternLength)
      this.#tooLong(
        parameter,
        `The patterns of ${uncapitalize(this.#nodes.label)} together`,
        maxTotalPatternLength,
        'hold',
      )
    return this.problems.length === faults
  }

  #tooLong(parameter: string, what: string, limit: number, holds = 'holds'): Condition {
    return this.addProblem(
      parameter,
      'limit-exceeded',
      `${what} ${holds} at most ${limit} characters.`,
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
        `${this.#nodes.label} hold at most ${maxFilterNodes} comparisons and connectives together.`,
        { limit: maxFilterNodes },
      )
    }
    return this.#nodes.count <= maxFilterNodes
  }
}

function uncapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function isStructReference(end: FieldReference): boolean {
  return end.kind === 'value' && end.type.kind === 'struct'
}

/** A date-time whose offset has lost its plus sign. */
const missingPlusPattern = /T.* \d\d:\d\d$/
