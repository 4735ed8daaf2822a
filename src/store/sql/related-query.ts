import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { andAlso, relatesToAny } from '../../query/conditions.ts'
import type { OffsetPlan, QueryPlan } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import { listAlias } from './compile-plan.ts'
import { compileRelatedCount, compileRelatedPages, relationSourceOf } from './compile-related.ts'
import type { DocumentDialect } from './document-dialect.ts'
import type { ReadStrategy } from './read-strategy.ts'
import { itemColumns } from './rows.ts'
import type { PrepareQuery, Statement } from './statement-cache.ts'
import type { TableOf } from './table.ts'

/** The statements for pages of related items of many owners. */
export interface RelatedQuery {
  /**
   * True when an index has the items of an owner in the order of the plan, so that its scan ends
   * when the page is full.
   */
  readonly isIndexScan: boolean
  /** Counts the related items of the owners, up to one beyond the limit. */
  probe(limit: number): Statement
  /**
   * The items of each page, the values of their sort keys, and the owner. Aborts above the byte
   * limit.
   */
  pages(): Statement
  /** The same rows with ids instead of items. */
  idPages(): Statement
}

/** Prepares the query for the related items of many owners. */
export function relatedQueries<S extends ReadStrategy>(
  dialect: DocumentDialect,
  tableOf: TableOf,
  prepare: PrepareQuery<QueryPlan, S>,
) {
  return (
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
  ): RelatedQuery => {
    const prepared = prepare(tableOf(relation.relatedModel), plan)
    const source = relationSourceOf(tableOf, model, relation)
    const name = `${model.name}.${relation.name}`
    const ownersValue = [dialect.binder.list(owners)]
    const compile =
      (columns: readonly string[], condition?: string) =>
      (compilation: Compilation, copy: QueryPlan) =>
        compileRelatedPages(compilation, prepared.table, copy, {
          columns,
          source,
          ownersIndex: prepared.nextValueIndex,
          ...(condition && { condition }),
        })
    return {
      isIndexScan: isIndexScanFromOwner(
        relation,
        plan,
        (queryPlan) => prepare(prepared.table, queryPlan).strategy.isIndexScan === true,
      ),
      probe: (limit) =>
        prepared.statement(
          `probe ${limit} ${name}`,
          (compilation) =>
            compileRelatedCount(
              compilation,
              prepared.table,
              source,
              prepared.nextValueIndex,
              limit + 1,
            ),
          ownersValue,
        ),
      pages: () => {
        const limitCheck = dialect.byteLimitCheck(`octet_length(${listAlias}."text")`)
        return prepared.statement(
          `pages ${name}`,
          compile(itemColumns(relation.relatedModel), limitCheck),
          ownersValue,
        )
      },
      idPages: () => prepared.statement(`id pages ${name}`, compile(['"id"']), ownersValue),
    }
  }
}

function isIndexScanFromOwner(
  relation: ManyRelation,
  plan: OffsetPlan,
  isIndexScan: (plan: QueryPlan) => boolean,
): boolean {
  if (relation.kind === 'inverse' && relation.inverseOf.kind === 'toOne') {
    const relatesToOwner = relatesToAny(relation.inverseOf.name, 'toOne', ['any owner'])
    return isIndexScan({ ...plan, condition: andAlso(relatesToOwner, plan.condition) })
  }
  // A join table is in the order of ids, and has no other fields of the items.
  return (
    plan.sort.length === 0 && (plan.condition.kind === 'always' || plan.condition.kind === 'never')
  )
}
