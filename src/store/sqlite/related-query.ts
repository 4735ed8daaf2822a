import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { andAlso, relatesToAny } from '../../query/conditions.ts'
import type { OffsetPlan, QueryPlan } from '../../query/query-plan.ts'
import type { AccessPath } from '../sql/access-path.ts'
import type { Compilation } from '../sql/compilation.ts'
import { listAlias } from '../sql/compile-plan.ts'
import {
  compileRelatedCount,
  compileRelatedPages,
  relationSourceOf,
} from '../sql/compile-related.ts'
import type { Table, TableOf } from '../sql/table.ts'
import { byteLimitCheck, sqliteDialect } from './dialect.ts'
import { itemColumns } from './rows.ts'
import type { PreparedQuery, Statement } from './statement-cache.ts'

/** The pages of what many owners relate to. */
export interface RelatedQuery {
  /**
   * Whether an index leads from an owner to its items in the order of the plan, and is left as soon
   * as the page is full.
   */
  readonly isIndexScan: boolean
  /** Counts what the owners relate to, but not beyond the limit. */
  probe(limit: number): Statement
  /**
   * The items of each owner's page, the values of their sort keys, and the owner; broken off where
   * their texts come to too many bytes.
   */
  pages(): Statement
  /** The same with nothing of the items but their ids. */
  idPages(): Statement
}

/**
 * Asks for what owners relate to, with one statement for all of them.
 * @param plans asks for items of one collection, whoever relates to them
 */
export function relatedQueries(
  tableOf: TableOf,
  plans: (table: Table, plan: QueryPlan) => PreparedQuery<QueryPlan>,
) {
  return (
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
  ): RelatedQuery => {
    const asked = plans(tableOf(relation.relatedModel), plan)
    const link = relationSourceOf(sqliteDialect, tableOf, model, relation)
    const name = `${model.name}.${relation.name}`
    const more = [sqliteDialect.binder.list(owners)]
    const compile =
      (columns: readonly string[], condition?: string) =>
      (parts: Compilation, question: QueryPlan) =>
        compileRelatedPages(parts, asked.table, question, {
          columns,
          source: link,
          ownersIndex: asked.nextValueIndex,
          ...(condition && { condition }),
        })
    return {
      isIndexScan: isIndexScanFromOwner(relation, plan, (alone) => plans(asked.table, alone).kind),
      probe: (limit) =>
        asked.statement(
          `probe ${limit} ${name}`,
          (parts) => compileRelatedCount(parts, asked.table, link, asked.nextValueIndex, limit),
          more,
        ),
      pages: () => {
        const weighed = byteLimitCheck(`octet_length(${listAlias}."text")`)
        return asked.statement(
          `pages ${name}`,
          compile(itemColumns(relation.relatedModel), weighed),
          more,
        )
      },
      idPages: () => asked.statement(`places ${name}`, compile(['"id"']), more),
    }
  }
}

function isIndexScanFromOwner(
  relation: ManyRelation,
  plan: OffsetPlan,
  kindOf: (alone: QueryPlan) => AccessPath['kind'],
): boolean {
  if (relation.kind === 'inverse' && relation.inverseOf.kind === 'toOne') {
    const ofOne = relatesToAny(relation.inverseOf.name, 'toOne', ['any owner'])
    return kindOf({ ...plan, condition: andAlso(ofOne, plan.condition) }) === 'walk'
  }
  // The pairs of a relation to many stand in the order of ids, and say nothing else of the items.
  return (
    plan.sort.length === 0 && (plan.condition.kind === 'always' || plan.condition.kind === 'never')
  )
}
