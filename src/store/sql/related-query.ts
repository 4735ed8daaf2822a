import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { andAlso, relatesToAny } from '../../query/conditions.ts'
import type { OffsetPlan, QueryPlan } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import {
  compileRelatedCount,
  compileRelatedPages,
  type RelatedPagesOptions,
  relationSourceOf,
} from './compile-related.ts'
import type { Dialect } from './dialect.ts'
import { trueSql } from './logic.ts'
import type { ReadStrategy } from './read-strategy.ts'
import { listAlias } from './row-source.ts'
import type { PreparedQueries, PreparedQuery, Statement } from './statement-cache.ts'
import type { ReadableTable, TableOf } from './table.ts'

/** What compiles the statements of a database. */
interface Compiler<S extends ReadStrategy> extends Pick<PreparedQueries<S>, 'plans'> {
  readonly dialect: Dialect
  readonly tableOf: TableOf<ReadableTable>
}

/** A page of related items for each of many owners. */
interface RelatedPages {
  readonly model: ModelDescription
  readonly relation: ManyRelation
  readonly owners: readonly string[]
  readonly plan: OffsetPlan
}

/** The statements for pages of related items of many owners. */
export class RelatedQuery<S extends ReadStrategy> {
  readonly #compiler: Compiler<S>
  readonly #pages: RelatedPages
  readonly #prepared: PreparedQuery<QueryPlan, S>

  constructor(compiler: Compiler<S>, pages: RelatedPages) {
    this.#compiler = compiler
    this.#pages = pages
    this.#prepared = compiler.plans(pages.relation.relatedModel, pages.plan)
  }

  /**
   * True when an index has the items of an owner in the order of the plan, so that its scan ends
   * when the page is full.
   */
  isIndexScan(): boolean {
    const { relation, plan } = this.#pages
    if (relation.kind === 'inverse' && relation.inverseOf.kind === 'toOne') {
      const relatesToOwner = relatesToAny(relation.inverseOf.name, 'toOne', ['any owner'])
      const condition = andAlso(relatesToOwner, plan.condition)
      const { strategy } = this.#compiler.plans(relation.relatedModel, { ...plan, condition })
      return strategy.isIndexScan === true
    }
    // A join table is in the order of ids, and has no other fields of the items.
    return (
      plan.sort.length === 0 &&
      (plan.condition.kind === 'always' || plan.condition.kind === 'never')
    )
  }

  /** Counts the related items of the owners, up to one beyond the limit. */
  probe(limit: number): Statement {
    return this.#statement(`probe ${limit}`, (compilation, _, { table, source, ownersIndex }) =>
      compileRelatedCount(compilation, table, source, ownersIndex, limit + 1),
    )
  }

  /**
   * The items of each page, the values of their sort keys, and the owner. Aborts above the byte
   * limit.
   */
  pages(): Statement {
    return this.#statement('pages', (compilation, plan, { table, ...options }) =>
      compileRelatedPages(compilation, table, plan, {
        ...options,
        columns: table.itemExpressions(listAlias),
        condition: table.rowCheck?.(listAlias) ?? trueSql,
      }),
    )
  }

  /** The same rows with ids instead of items. */
  idPages(): Statement {
    return this.#statement('id pages', (compilation, plan, { table, ...options }) =>
      compileRelatedPages(compilation, table, plan, {
        ...options,
        columns: [table.idExpression(listAlias)],
      }),
    )
  }

  #statement(
    name: string,
    compile: (compilation: Compilation, plan: QueryPlan, related: RelatedTable) => string,
  ): Statement {
    const { dialect, tableOf } = this.#compiler
    const { model, relation, owners } = this.#pages
    return this.#prepared.statement(
      `${name} ${model.name}.${relation.name}`,
      (compilation, copy) =>
        compile(compilation, copy, {
          table: tableOf(relation.relatedModel),
          source: relationSourceOf(tableOf, model, relation),
          ownersIndex: this.#prepared.nextValueIndex,
        }),
      [dialect.binder.list(owners)],
    )
  }
}

interface RelatedTable extends Pick<RelatedPagesOptions, 'source' | 'ownersIndex'> {
  readonly table: ReadableTable
}
