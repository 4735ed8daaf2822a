import { textLiteral } from '../sql/text-literal.ts'
import type { CapturedModel, CapturedRelation, CaptureTables } from '../tables/change-capture.ts'
import { tableQuoter } from '../tables/table-quoter.ts'
import { postgresChangeOrder } from './change-order.ts'
import { quoteIdentifier } from './dialect.ts'

// The bodies of trigger functions. Their search path has no schema but that of PostgreSQL.

const quoteTable = tableQuoter(quoteIdentifier)

/** The transaction that has begun to fill the table of pending changes. */
const pendingSetting = 'resourcery.pending'

const { transaction, maxPerTransaction } = postgresChangeOrder.numbers!
const countBits = Math.log2(maxPerTransaction)

const contents = 'kind, model, id, time_ms, caller, before_item, after_item'

/** Without the tables there is no log. */
function unlessGone({ pending }: CaptureTables): string {
  return `if to_regclass(${textLiteral(quoteTable(pending))}) is null then return null; end if;`
}

/** Adds a change; `is_first` is a variable. Only the first one of a transaction has it moved. */
function add(
  { pending }: CaptureTables,
  model: string,
  change: { readonly [K in 'kind' | 'id' | 'before' | 'after']: string },
): string {
  return `is_first := current_setting('${pendingSetting}', true) is distinct from pg_current_xact_id()::text;
  if is_first then perform set_config('${pendingSetting}', pg_current_xact_id()::text, true); end if;
  insert into ${quoteTable(pending)} (transaction_id, is_first, ${contents}) values (
    pg_current_xact_id()::text::bigint, is_first, ${change.kind}, ${textLiteral(model)}, coalesce(${change.id}, ''),
    (extract(epoch from clock_timestamp()) * 1000)::bigint,
    nullif(current_setting('resourcery.caller', true), ''), ${change.before}, ${change.after});`
}

const nothing = { kind: "'erased'", id: "''", before: 'null', after: 'null' }

/**
 * A row as text, with the rows of its relations as they are at the moment.
 * @param changed the rows of one relation, where they are not those of the table
 */
function itemText(
  { key, relations }: CapturedModel,
  alias: string,
  changed?: { readonly relation: CapturedRelation; readonly rows: string },
): string {
  const row = `'{"row":' || to_json(${alias})::text`
  if (relations.length === 0) return `${row} || '}'`
  const lists = relations.map((relation) => {
    const rows =
      relation === changed?.relation ? changed.rows : presentRows(relation, `${alias}.${key}`)
    const list = `(select coalesce('[' || string_agg(x, ',' order by x) || ']', '[]') from (${rows}) s)`
    return `${textLiteral(`${JSON.stringify(relation.name)}:`)} || ${list}`
  })
  return `${row} || ',"relations":{' || ${lists.join(` || ',' || `)} || '}}'`
}

function presentRows({ table, owner }: CapturedRelation, id: string): string {
  return `select to_json(j)::text as x from ${quoteTable(table)} j where j.${owner} = ${id}`
}

/**
 * For each row that changes. A row that cannot be read any more, because a column was renamed, is
 * a change without an item: the write of another program must not fail.
 */
export function rowFunction(model: CapturedModel, tables: CaptureTables): string {
  return `
declare
  entry_kind text := case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'update' when 'DELETE' then 'delete' else 'erased' end;
  former_id text; entry_id text := ''; before_item text; after_item text; is_first boolean;
begin
  ${unlessGone(tables)}
  begin
    if tg_op in ('UPDATE', 'DELETE') then
      former_id := ${model.id('old')};
      before_item := ${itemText(model, 'old')};
      entry_id := former_id;
    end if;
    if tg_op in ('INSERT', 'UPDATE') then
      entry_id := ${model.id('new')};
      after_item := ${itemText(model, 'new')};
    end if;
  exception when others then
    entry_kind := 'erased'; entry_id := ''; before_item := null; after_item := null;
  end;
  if before_item = after_item then return null; end if;
  if entry_kind = 'update' and former_id is distinct from entry_id then
    ${add(tables, model.model, { kind: "'delete'", id: 'former_id', before: 'before_item', after: 'null' })}
    entry_kind := 'create'; before_item := null;
  end if;
  ${add(tables, model.model, { kind: 'entry_kind', id: 'entry_id', before: 'before_item', after: 'after_item' })}
  return null;
end`
}

/** For each statement that changes a join table: it changes the items that have the relation. */
export function relationFunction(
  model: CapturedModel,
  relation: CapturedRelation,
  tables: CaptureTables,
): string {
  const rowsIn = (rows: string) =>
    `select to_json(c)::text from ${rows} c where c.${relation.owner} = r.${model.key}`
  const ownersIn = (rows: string) => `select c.${relation.owner} from ${rows} c`
  const loop = (inserted: boolean, deleted: boolean): string => {
    const rows = [
      presentRows(relation, `r.${model.key}`),
      ...(inserted ? [`except all ${rowsIn('new_rows')}`] : []),
      ...(deleted ? [`union all ${rowsIn('old_rows')}`] : []),
    ].join(' ')
    const owners = [inserted ? 'new_rows' : [], deleted ? 'old_rows' : []].flat().map(ownersIn)
    return `for entry in
        select ${model.id('r')} as id, ${itemText(model, 'r', { relation, rows })} as before_item, ${itemText(model, 'r')} as after_item
        from ${quoteTable(model.table)} r where r.${model.key} in (${owners.join(' union all ')})
      loop
        if entry.before_item <> entry.after_item then
          ${add(tables, model.model, { kind: "'update'", id: 'entry.id', before: 'entry.before_item', after: 'entry.after_item' })}
        end if;
      end loop;`
  }
  return `
declare
  entry record; is_first boolean;
begin
  ${unlessGone(tables)}
  begin
    if tg_op = 'INSERT' then
      ${loop(true, false)}
      return null;
    elsif tg_op = 'DELETE' then
      ${loop(false, true)}
      return null;
    elsif tg_op = 'UPDATE' then
      ${loop(true, true)}
      return null;
    end if;
  exception when undefined_column or undefined_table or datatype_mismatch then
    null;
  end;
  ${add(tables, model.model, nothing)}
  return null;
end`
}

/**
 * Moves the changes of a transaction to the log, when it commits: as the library, it numbers them
 * at the end, so that they stand together and in the order of commits.
 */
export function moveFunction({ log, pending }: CaptureTables, sequence: string): string {
  const [logName, pendingName] = [log, pending].map(quoteTable)
  const own = 'transaction_id = pg_current_xact_id()::text::bigint'
  return `
declare
  first_n bigint := new.n; first_change bigint;
begin
  perform set_config('${pendingSetting}', '', true);
  if to_regclass(${textLiteral(logName!)}) is null then
    delete from ${pendingName} where ${own};
    return null;
  end if;
  loop
    first_change := nextval(${textLiteral(sequence)}) << ${countBits};
    with moved as (
      delete from ${pendingName} where ${own} and n >= first_n and n < first_n + ${maxPerTransaction} returning *
    )
    insert into ${logName} (transaction_id, change_id, ${contents})
      select t.number, first_change + row_number() over (order by m.n) - 1, ${contents}
      from moved m cross join (select ${transaction} as number) t;
    exit when not exists (select 1 from ${pendingName} where ${own});
    first_n := first_n + ${maxPerTransaction};
  end loop;
  return null;
end`
}
