import type { SearchQueries, TermQuantity } from '../../sql/search-index.ts'
import { quoteIdentifier, wordsFunction } from '../dialect.ts'
import { type WordsIndex, wordsPrefix } from './words-index.ts'

/**
 * The table with a row for each index: its table, the paths of its texts, and the last id up to
 * which it has been filled, NULL once it has all.
 */
export const statesTable: string = wordsPrefix

export const createStatesSql: string = `create table if not exists ${statesTable} (name text primary key not null, "table" text not null, paths text not null, filled text) without rowid`

const idsOf = (name: string) => `${name}_ids`
const changesOf = (name: string) => `${name}_changes`
const events = ['insert', 'update', 'delete'] as const

/**
 * The tables and triggers of an index. Triggers note the ids of changed rows, so that no write is
 * missed, whichever program makes it; they call no function that other programs lack. Tokens are
 * the words that the condition compares: texts are split and folded before, and the tokenizer
 * leaves all letters alone.
 */
export function createSql({ name, table, id, paths, texts }: WordsIndex): readonly string[] {
  const changes = changesOf(name)
  // Not `insert or ignore`: the outer statement may say otherwise what happens on a conflict.
  const note = (row: string) =>
    `insert into ${changes} (id) select ${row}.${id} where not exists (select 1 from ${changes} where id = ${row}.${id});`
  const [before, after] = [texts('old'), texts('new')]
  const differs = [
    `old.${id} is not new.${id}`,
    ...before.map((text, index) => `${text} is not ${after[index]}`),
  ]
  const actions = {
    insert: note('new'),
    update: `when ${differs.join(' or ')} begin ${note('old')} ${note('new')}`,
    delete: note('old'),
  }
  return [
    `create virtual table ${name} using fts5(${columnsOf(paths).join(', ')}, content='', contentless_delete=1, detail='column', prefix='3', tokenize='ascii')`,
    `create table ${idsOf(name)} (n integer primary key, id text not null unique)`,
    `create table ${changes} (id text primary key not null) without rowid`,
    ...events.map((event) => {
      const action = event === 'update' ? actions.update : `begin ${actions[event]}`
      return `create trigger ${name}_${event} after ${event} on ${quoteIdentifier(table)} ${action} end`
    }),
  ]
}

/** Drops what `createSql` creates, as far as it is there. */
export function dropSql(name: string): readonly string[] {
  return [
    ...events.map((event) => `drop trigger if exists ${name}_${event}`),
    ...[name, idsOf(name), changesOf(name)].map((table) => `drop table if exists ${table}`),
    `delete from ${statesTable} where name = '${name}'`,
  ]
}

/** Has the table all triggers of an index? A program that makes it anew drops them. */
export function triggersSql(name: string): string {
  const names = events.map((event) => `'${name}_${event}'`)
  return `select count(*) = ${events.length} from sqlite_schema where type = 'trigger' and name in (${names.join(', ')})`
}

/** Statements that put so many of the changed rows into the index as their parameter says. */
export function fillSql(index: WordsIndex): readonly string[] {
  const { name, id, paths, texts } = index
  const table = quoteIdentifier(index.table)
  const [ids, changes] = [idsOf(name), changesOf(name)]
  const changed = `(select id from ${changes} order by id limit ?1 + 0)`
  const words = texts('i').map((text) => `${wordsFunction}(${text})`)
  return [
    `delete from ${name} where rowid in (select m.n from ${changed} d cross join ${ids} m on m.id = d.id)`,
    `delete from ${ids} where id in ${changed} and not exists (select 1 from ${table} i where i.${id} = ${ids}.id)`,
    `insert into ${ids} (id) select d.id from ${changed} d where not exists (select 1 from ${ids} m where m.id = d.id) and exists (select 1 from ${table} i where i.${id} = d.id)`,
    `insert into ${name} (rowid, ${columnsOf(paths).join(', ')}) select m.n, ${words.join(', ')} from ${changed} d cross join ${ids} m on m.id = d.id cross join ${table} i on i.${id} = d.id`,
    `delete from ${changes} where id in ${changed}`,
  ]
}

/** Has the index changed rows to be put in? */
export function hasChangesSql({ name }: WordsIndex): string {
  return `select exists (select 1 from ${changesOf(name)})`
}

/** Notes so many of the rows after an id as changed. */
export function noteRowsSql({ name, table, id }: WordsIndex): string {
  return `insert or ignore into ${changesOf(name)} (id) select ${id} from ${quoteIdentifier(table)} where ${id} > ?1 order by ${id} limit ?2 + 0`
}

/** The last of so many ids after an id, where the second parameter is one less. */
export function endOfRowsSql({ table, id }: WordsIndex): string {
  return `select ${id} from ${quoteIdentifier(table)} where ${id} > ?1 order by ${id} limit 1 offset ?2 + 0`
}

/** FTS5 cuts words after 32 768 bytes: of longer ones it may find others. */
const maxWordCharacters = 8_000

/**
 * The ids of rows in which terms occur, and of those that have changed since the index was written.
 * It has the words that the condition compares, so only the order of several words is left to be
 * decided, and all of a changed row.
 * @param losesRows whether rows may be gone that the index has
 */
export function idsSql(index: WordsIndex, losesRows: boolean): SearchQueries['ids'] {
  const [ids, changes] = [idsOf(index.name), changesOf(index.name)]
  // A row of its own is looked for only while there is any.
  const isIndexed = `(not exists (select 1 from ${changes}) or not exists (select 1 from ${changes} c where c.id = m.id))`
  const isThere = `exists (select 1 from ${quoteIdentifier(index.table)} i where i.${index.id} = m.id)`
  const isCertain = losesRows ? `${isIndexed} and ${isThere}` : isIndexed
  return (searched, needles, quantity) => {
    const areWords = `(select max(instr(trim(needle), ' ')) = 0 and max(length(needle)) <= ${maxWordCharacters} from (${needles}))`
    return `select m.id, ${areWords} and ${isCertain} as fits from ${matchesSql(index, searched, needles, quantity)} f cross join ${ids} m on m.n = f.rowid union all select id, 0 from ${changes}`
  }
}

/** Of the same rows, the numbers that the index has, which is all that it reads for them. */
export function numbersSql(index: WordsIndex): SearchQueries['numbers'] {
  return (searched, needles, quantity) =>
    `select f.rowid from ${matchesSql(index, searched, needles, quantity)} f union all select 0 from ${changesOf(index.name)}`
}

function matchesSql(
  { name, paths }: WordsIndex,
  searched: readonly string[],
  needles: string,
  quantity: TermQuantity,
): string {
  const operator = quantity === 'all' ? 'AND' : 'OR'
  const columns = columnsOf(paths).filter((_, position) => searched.includes(paths[position]!))
  // The words of a phrase one by one; after the last one, a star stands for the rest of a word.
  const term = `'("' || replace(trim(needle), ' ', '" "') || '"' || iif(substr(needle, -1) = ' ', ')', '*)')`
  const query = `'{${columns.join(' ')}} : (' || group_concat(${term}, ' ${operator} ') || ')'`
  // An empty phrase occurs nowhere, and an empty query is an error.
  return `${name}((select ifnull(${query}, '""') from (${needles})))`
}

function columnsOf(paths: readonly string[]): readonly string[] {
  return paths.map((_, index) => `w${index}`)
}
