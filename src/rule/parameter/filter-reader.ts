import type { ErrorCode } from '../../error/catalog.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import type { ScalarType } from '../../model/value-type.ts'
import { allOf, always, anyOf, negated } from '../../query/conditions.ts'
import type { Condition, FieldPath, Scalar } from '../../query/query-plan.ts'
import type { Limits } from '../limits.ts'
import { type ClientEnd, followPath, listed, tooLong } from './client-path.ts'
import type { Expression } from './filter-expression.ts'
import { type Filterable, type FilterOperator, filterable, maxSearchLength, operandType } from './filter-operators.ts'
import { typedLiteral, typedValue } from './typed-value.ts'

/** The values of a comparison: the text of a parameter, or the literals of an expression. */
type Written =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'literals'; readonly literals: readonly Scalar[] }

interface Comparison {
  readonly parameter: string
  readonly field: string
  /** Undefined where none was written: `filter[title]=Dune`. */
  readonly operator: string | undefined
  readonly written: Written
}

/** The comparisons and connectives of filters that are counted together, and the characters of their patterns. */
export interface FilterNodes {
  readonly of: string
  count: number
  patternLength: number
}

export function filterNodes(of: string): FilterNodes {
  return { of, count: 0, patternLength: 0 }
}

/** Makes conditions of filters: gathers their faults, and counts their nodes. */
export class FilterReader {
  readonly problems: Problem[] = []
  readonly #views: Views
  readonly #view: ModelView
  readonly #limits: Limits
  readonly #nodes: FilterNodes

  /** @param nodes what was counted before, by readers of other filters */
  constructor(views: Views, view: ModelView, limits: Limits, nodes: FilterNodes) {
    this.#views = views
    this.#view = view
    this.#limits = limits
    this.#nodes = nodes
  }

  expression(parameter: string, expression: Expression): Condition {
    if (expression.kind === 'comparison') {
      const { operator, field, literals } = expression
      return this.comparison({ parameter, field, operator, written: { kind: 'literals', literals } })
    }
    if (!this.#count(parameter)) return always
    const operands = expression.operands.map((operand) => this.expression(parameter, operand))
    if (expression.name === 'not') return negated(operands[0]!)
    return expression.name === 'and' ? allOf(operands) : anyOf(operands)
  }

  comparison({ parameter, field, operator, written }: Comparison): Condition {
    if (!this.#count(parameter)) return always
    const path = followPath(this.#views, this.#view, field, this.#limits.relationDepth)
    if (path.kind === 'tooLong') return this.#refused(tooLong(field, { parameter }, this.#limits))
    if (path.kind === 'lost')
      return this.refuse(
        parameter,
        'unknown-field',
        `There is no field '${shortened(field)}' to filter by: ${path.because}.`,
      )
    const target = filterable(path.end)
    if (!target)
      return this.refuse(
        parameter,
        'invalid-filter',
        `'${shortened(field)}' cannot be filtered by${isStruct(path.end) ? '; its members may be, by their dotted names' : ''}.`,
      )
    const name = operator ?? (target.operators.has('eq') ? 'eq' : 'any')
    const found = target.operators.get(name)
    if (!found) {
      const known = listed([...target.operators.keys()])
      return this.refuse(
        parameter,
        'unknown-operator',
        `'${shortened(field)}' has no operator '${shortened(name)}'; it has ${known}.`,
      )
    }
    return this.#apply(parameter, found, target, { names: path.names }, written)
  }

  refuse(parameter: string, code: ErrorCode, detail: string, meta?: Record<string, unknown>): Condition {
    return this.#refused(problem(code, detail, { parameter }, meta))
  }

  #refused(fault: Problem): Condition {
    this.problems.push(fault)
    return always
  }

  #apply(
    parameter: string,
    operator: FilterOperator,
    { type }: Filterable,
    path: FieldPath,
    written: Written,
  ): Condition {
    const values = this.#values(parameter, operandType(operator.takes, type), written, operator.takes)
    if (!values) return always
    const [value] = values
    switch (operator.takes) {
      case 'several':
        return values.length === 0 ? this.#valueMissing(parameter) : operator.condition(path, values)
      case 'flag':
        if (value === null) return this.#valueMissing(parameter)
        return value === false ? negated(operator.condition(path)) : operator.condition(path)
      case 'one':
      case 'bound':
        return value === undefined ? this.#valueMissing(parameter) : operator.condition(path, value)
      case 'text':
        if (typeof value !== 'string') return this.#valueMissing(parameter)
        if (value.length > maxSearchLength) return this.#tooLong(parameter, 'A text to search for', maxSearchLength)
        return operator.condition(path, value)
      case 'pattern':
        if (typeof value !== 'string') return this.#valueMissing(parameter)
        return this.#isPattern(parameter, value) ? operator.condition(path, value) : always
    }
  }

  /** The values, read by the field's type; undefined, with the faults gathered, when they are too many or do not fit. */
  #values(parameter: string, type: ScalarType, written: Written, takes: FilterOperator['takes']): Scalar[] | undefined {
    const most = takes === 'several' ? this.#limits.filterValues : 1
    const raw =
      written.kind === 'text' ? (takes === 'several' ? written.text.split(',') : [written.text]) : written.literals
    if (raw.length > most) {
      this.refuse(
        parameter,
        'limit-exceeded',
        `At most ${most} ${most === 1 ? 'value is' : 'values are'} compared with here.`,
        { limit: most },
      )
      return undefined
    }
    const values: Scalar[] = []
    for (const one of raw) {
      const typed = written.kind === 'text' ? typedValue(type, String(one)) : typedLiteral(type, one)
      if (typed.kind === 'value') values.push(typed.value)
      else
        this.refuse(
          parameter,
          'invalid-value',
          `'${shortened(String(one))}' does not fit; expected is ${typed.expected}.${lostPlus.test(String(one)) ? " In a query string '+' is a space; write '%2B'." : ''}`,
        )
    }
    return values.length === raw.length ? values : undefined
  }

  #valueMissing(parameter: string): Condition {
    return this.refuse(parameter, 'invalid-filter', "The comparison lacks its value, as in eq(title,'Dune').")
  }

  /** A pattern costs its length for every character of a text that it is held against. */
  #isPattern(parameter: string, pattern: string): boolean {
    const { wildcards, maxPatternLength, maxPatternLengthTotal } = this.#limits
    const faults = this.problems.length
    if (pattern.length > maxPatternLength) this.#tooLong(parameter, 'A pattern', maxPatternLength)
    if (pattern.replaceAll(/[^%_]/g, '').length > wildcards)
      this.refuse(parameter, 'limit-exceeded', `A pattern holds at most ${wildcards} wildcards.`, { limit: wildcards })
    const before = this.#nodes.patternLength
    this.#nodes.patternLength += pattern.length
    if (before <= maxPatternLengthTotal && this.#nodes.patternLength > maxPatternLengthTotal)
      this.#tooLong(parameter, `The patterns of ${lowered(this.#nodes.of)} together`, maxPatternLengthTotal, 'hold')
    return this.problems.length === faults
  }

  #tooLong(parameter: string, what: string, limit: number, holds = 'holds'): Condition {
    return this.refuse(parameter, 'limit-exceeded', `${what} ${holds} at most ${limit} characters.`, { limit })
  }

  #count(parameter: string): boolean {
    const { filterNodes } = this.#limits
    this.#nodes.count++
    if (this.#nodes.count === filterNodes + 1) {
      this.refuse(
        parameter,
        'limit-exceeded',
        `${this.#nodes.of} hold at most ${filterNodes} comparisons and connectives together.`,
        { limit: filterNodes },
      )
    }
    return this.#nodes.count <= filterNodes
  }
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function isStruct(end: ClientEnd): boolean {
  return end.kind === 'value' && end.type.kind === 'struct'
}

/** A date-time whose offset has lost its plus sign. */
const lostPlus = /T.* \d\d:\d\d$/
