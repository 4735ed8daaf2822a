import { createHash } from 'node:crypto'
import type { TableName } from '../../model/storage.ts'
import { textLiteral } from '../sql/text-literal.ts'
import type { CaptureTables, CaptureTriggers, ChangeCapture } from '../tables/change-capture.ts'
import { tableQuoter } from '../tables/table-quoter.ts'
import { moveFunction, relationFunction, rowFunction } from './capture-functions.ts'
import { changeSequence } from './change-order.ts'
import { quoteIdentifier } from './dialect.ts'

const quoteTable = tableQuoter(quoteIdentifier)

/**
 * The triggers of a table fire in the order of their names: those of foreign keys begin with `RI_`,
 * and would delete the rows of join tables before these have read them.
 */
export const captureTriggerPrefix = '0_resourcery_'

const functionPrefix = 'resourcery_capture_'

/**
 * The library logs what its own statements write, but not what triggers of the database make of
 * them. A condition of the trigger costs its writes less than a call of the function.
 */
const isOfOthers =
  "when (current_setting('resourcery.capture', true) is distinct from 'off' or pg_trigger_depth() > 0)"

/** What a trigger is, but for its name, its table and its function. */
interface TriggerForm {
  readonly suffix: string
  readonly constraint?: 'constraint'
  readonly events: string
  readonly end: string
}

const rowForms: readonly TriggerForm[] = [
  { suffix: '', events: 'after insert or update or delete', end: `for each row ${isOfOthers}` },
  { suffix: '_truncate', events: 'after truncate', end: `for each statement ${isOfOthers}` },
]

const relationForms: readonly TriggerForm[] = [
  {
    suffix: '_insert',
    events: 'after insert',
    end: `referencing new table as new_rows for each statement ${isOfOthers}`,
  },
  {
    suffix: '_update',
    events: 'after update',
    end: `referencing old table as old_rows new table as new_rows for each statement ${isOfOthers}`,
  },
  {
    suffix: '_delete',
    events: 'after delete',
    end: `referencing old table as old_rows for each statement ${isOfOthers}`,
  },
  { suffix: '_truncate', events: 'after truncate', end: `for each statement ${isOfOthers}` },
]

const moveForms: readonly TriggerForm[] = [
  {
    suffix: '',
    constraint: 'constraint',
    events: 'after insert',
    end: 'deferrable initially deferred for each row when (new.is_first)',
  },
]

/** Triggers that call one function. */
interface TriggerGroup {
  readonly table: TableName
  /** The model whose changes they log. */
  readonly model: string
  readonly body: string
  readonly forms: readonly TriggerForm[]
}

/** A role that writes a table needs no rights to the log: functions run as who made them. */
function triggersOn(
  { table, model, body, forms }: TriggerGroup,
  { log }: CaptureTables,
): CaptureTriggers {
  const hash = hashOf(JSON.stringify([quoteTable(table), model, body, forms]), 12)
  const name = functionName(hash, log)
  const prefix = `${captureTriggerPrefix}${hashOf(model, 6)}_${hash}`
  const names = forms.map(({ suffix }) => `${prefix}${suffix}`)
  const text = body.includes('$capture$') ? textLiteral(body) : `$capture$${body}$capture$`
  return {
    table,
    names,
    sql: [
      `create or replace function ${name}() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as ${text}`,
      `revoke all on function ${name}() from public`,
      ...forms.flatMap(({ constraint, events, end }, index) => {
        const trigger = quoteIdentifier(names[index]!)
        return [
          `drop trigger if exists ${trigger} on ${quoteTable(table)}`,
          `create ${constraint ? 'constraint trigger' : 'trigger'} ${trigger} ${events} on ${quoteTable(table)} ${end} execute function ${name}()`,
        ]
      }),
    ],
  }
}

function hashOf(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length)
}

function functionName(hash: string, { schema }: TableName): string {
  return quoteTable({ schema, name: `${functionPrefix}${hash}` })
}

export const postgresCapture: ChangeCapture = {
  // What is pending is of no use after a crash, so nothing writes it to the log of PostgreSQL.
  createPending: ({ pending }) => [
    `create unlogged table ${quoteTable(pending)} (transaction_id bigint not null, n bigint generated always as identity, is_first boolean not null, kind text not null, model text not null, id text not null, time_ms bigint not null, caller text, before_item text, after_item text, primary key (transaction_id, n))`,
  ],
  pendingTriggers(tables) {
    const sequence = quoteTable({ schema: tables.log.schema, name: changeSequence })
    const body = moveFunction(tables, sequence)
    return triggersOn({ table: tables.pending, model: '', body, forms: moveForms }, tables)
  },
  triggers: (model, tables) => [
    triggersOn({ ...model, body: rowFunction(model, tables), forms: rowForms }, tables),
    ...model.relations.map((relation) => {
      const body = relationFunction(model, relation, tables)
      return triggersOn(
        { model: model.model, table: relation.table, body, forms: relationForms },
        tables,
      )
    }),
  ],
  isOfModel: (trigger, model) => trigger.startsWith(`${captureTriggerPrefix}${hashOf(model, 6)}_`),
  drop(table, names, { log }) {
    const suffixes = new Set(names.map((name) => name.split('_')[3]!))
    return [
      ...names.map(
        (name) => `drop trigger if exists ${quoteIdentifier(name)} on ${quoteTable(table)}`,
      ),
      ...[...suffixes].map((hash) => `drop function if exists ${functionName(hash, log)}()`),
    ]
  },
  capturedRows: (parameter) =>
    `json_array_elements(${parameter}::json) with ordinality as e(value, position)`,
  rowOf: (table, json, alias) => `json_populate_record(null::${table}, ${json}) as ${alias}`,
  member: (json, name) => `(${json} -> ${textLiteral(name)})`,
  elements: (json, alias) => `json_array_elements(${json}) as ${alias}(value)`,
}
