import type { CompareOperator, Condition } from '../../query/query-plan.ts'
import { type Hop, type ResolvedPath, resolveScalarPath } from '../resolve-path.ts'
import { type Compilation, type IndexedSearch, valueIndexOf } from './compilation.ts'
import {
  compileCompare,
  compileOneOf,
  compileText,
  operatorsWithNull,
} from './compile-comparison.ts'
import { compileMembers, compileSome } from './compile-members.ts'
import {
  compileScalar,
  compileSearchedText,
  existsThroughHops,
  isAnyThroughHops,
  pathAfterHops,
} from './compile-path.ts'
import { compileSearch } from './compile-search.ts'
import type { Dialect } from './dialect.ts'
import { allOfSql, anyOfSql, falseSql, isTrueSql, notSql, trueSql } from './logic.ts'
import type { ValueIndexes } from './query-shape.ts'
import type { Table, TableOf } from './table.ts'

/** Starts the compilation of one statement. */
export function createCompilation(
  dialect: Dialect,
  tableOf: TableOf,
  valueIndexes: ValueIndexes,
): Compilation {
  let aliases = 0
  const self: Compilation = {
    dialect,
    tableOf,
    valueIndexes,
    isPerRow: false,
    countsRelated: false,
    asksWordIndexes: true,
    indexedSearch: undefined,
    nextAlias: () => `r${++aliases}`,
    compileCondition: (table, alias, condition) =>
      compileCondition(self, table, alias, condition, false),
  }
  return self
}

/** The same compilation for a statement that reads known rows one by one. */
export function perRowCompilation(compilation: Compilation): Compilation {
  return changedCompilation(compilation, { isPerRow: true })
}

/** The same compilation for a statement whose rows no index of words is to find. */
export function decidingCompilation(compilation: Compilation): Compilation {
  return changedCompilation(compilation, { asksWordIndexes: false })
}

/** The same compilation for a statement that has the rows that indexes find for a search. */
export function indexedCompilation(
  compilation: Compilation,
  indexedSearch: IndexedSearch | undefined,
): Compilation {
  return indexedSearch ? changedCompilation(compilation, { indexedSearch }) : compilation
}

/** The same compilation for a statement that counts the rows with this condition. */
export function countingCompilation(compilation: Compilation, { kind }: Condition): Compilation {
  const isSingle = kind === 'compare' || kind === 'oneOf' || kind === 'text'
  return isSingle ? changedCompilation(compilation, { countsRelated: true }) : compilation
}

function changedCompilation(compilation: Compilation, changes: Partial<Compilation>): Compilation {
  const self: Compilation = {
    ...compilation,
    ...changes,
    compileCondition: (table, alias, condition) =>
      compileCondition(self, table, alias, condition, false),
  }
  return self
}

/**
 * SQL has three truth values, conditions have two. So a negation moves down to the leaves, and each
 * leaf is true exactly where it holds: NOT is never applied to NULL, and a plain `x = ?` stays
 * usable by indexes.
 */
function compileCondition(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: Condition,
  isNegated: boolean,
): string {
  const compileOperand = (operand: Condition) =>
    compileCondition(compilation, table, alias, operand, isNegated)
  switch (condition.kind) {
    case 'always':
      return isNegated ? falseSql : trueSql
    case 'never':
      return isNegated ? trueSql : falseSql
    case 'and':
    case 'or': {
      const operands = condition.conditions.map(compileOperand)
      return (condition.kind === 'and') === isNegated ? anyOfSql(operands) : allOfSql(operands)
    }
    case 'not':
      return compileCondition(compilation, table, alias, condition.condition, !isNegated)
    case 'compare':
    case 'oneOf':
    case 'text':
      return compileScalarCondition(compilation, table, alias, condition, isNegated)
    case 'members': {
      const holds = compileMembers(compilation, table, alias, condition)
      return isNegated
        ? notSql(holds === trueSql || holds === falseSql ? holds : `(${holds})`)
        : holds
    }
    case 'search': {
      const holds = compileSearch(compilation, table, alias, condition)
      return isNegated ? notSql(holds) : holds
    }
    case 'some': {
      const holds = compileSome(compilation, table, alias, condition)
      return isNegated ? notSql(holds) : holds
    }
  }
}

type ScalarCondition = Extract<Condition, { kind: 'compare' | 'oneOf' | 'text' }>

function compileScalarCondition(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: ScalarCondition,
  isNegated: boolean,
): string {
  const { path } = condition
  const resolved = resolveScalarPath(table.model, path)
  if (resolved.hops.length > 0)
    return compileRelated(compilation, table, alias, condition, resolved, isNegated)
  switch (condition.kind) {
    case 'compare':
      return compileCompare(
        compilation,
        compileScalar(compilation, table, alias, path),
        condition,
        isNegated,
      )
    case 'oneOf':
      return compileOneOf(
        compilation,
        compileScalar(compilation, table, alias, path),
        condition,
        isNegated,
      )
    case 'text':
      return compileText(
        compilation,
        compileSearchedText(compilation, table, alias, path),
        condition,
        isNegated,
      )
  }
}

/**
 * A condition on a related item, as an EXISTS, which engines plan as a join. Without such an item
 * the value is null: where null satisfies the condition, no item may be there that does not.
 */
function compileRelated(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: ScalarCondition,
  { guard, hops }: ResolvedPath,
  isNegated: boolean,
): string {
  const ofRelated = { ...condition, path: pathAfterHops(condition.path, hops.length) }
  compilation.valueIndexes.set(ofRelated, valueIndexOf(compilation, condition))
  const isTrueWithout = holdsForNull(condition) !== isNegated
  const existing = isFoundByRelation(compilation, table, hops)
    ? isAnyThroughHops
    : existsThroughHops
  const exists = existing(compilation, hops, table, alias, (related, relatedAlias) =>
    compileScalarCondition(
      compilation,
      related,
      relatedAlias,
      ofRelated,
      isNegated !== isTrueWithout,
    ),
  )
  const isShown = compilation.compileCondition(table, alias, guard)
  const holds = allOfSql([isTrueSql(isShown), exists])
  return isTrueWithout ? notSql(holds) : holds
}

/** Does an index find the rows with each of the related items that satisfy the condition? */
function isFoundByRelation(
  { dialect, countsRelated }: Compilation,
  { leadingFields }: Table,
  [first]: readonly Hop[],
): boolean {
  return countsRelated && !dialect.joinsAnyOrder && leadingFields.has(first!.field.name)
}

/** Does a value that is null satisfy the condition? */
function holdsForNull(condition: ScalarCondition): boolean {
  switch (condition.kind) {
    case 'compare':
      return (condition.value === null ? operatorsOfNull : operatorsWithNull).has(
        condition.operator,
      )
    case 'oneOf':
      return condition.values.includes(null)
    case 'text':
      return false
  }
}

const operatorsOfNull: ReadonlySet<CompareOperator> = new Set([
  'equal',
  'lessThanOrEqual',
  'greaterThanOrEqual',
])
