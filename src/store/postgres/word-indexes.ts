import { crc32 } from 'node:zlib'
import { lazy } from '../../cache/lazy.ts'
import { textLiteral } from '../sql/text-literal.ts'
import { tableQuoter } from '../tables/table-quoter.ts'
import type { WordIndexes } from '../tables/word-indexes.ts'
import { codePointOrder } from './code-point-order.ts'
import { quoteIdentifier } from './dialect.ts'
import { lowerCaseSql, withoutMarksSql } from './fold-sql.ts'
import { hasSeparatorsSql, separatedSql, spacedSql } from './words-sql.ts'

/** In characters: an index has the beginning of longer words. */
const maxWordLength = 64

/** In bytes. A `tsvector` has at most 1 MB of words. */
const maxWordsBytes = 262_144

/** What the index has of a text with more words. No word has this character. */
const tooManyWords = '~'

const cutPattern = `([^ ]{${maxWordLength}})[^ ]+`

/** Its only parameter is the text. PL/pgSQL evaluates such expressions without a query. */
const body = lazy(
  () => `
declare
  words text ${codePointOrder};
begin
  if octet_length($1) = length($1) then
    words := lower($1 ${codePointOrder});
  else
    words := ${withoutMarksSql(`$1 ${codePointOrder}`)};
    words := ${lowerCaseSql('words')};
  end if;
  words := ${spacedSql('words')};
  if (${hasSeparatorsSql('words')}) then words := ${separatedSql('words')}; end if;
  if octet_length(words) > ${maxWordsBytes} then return array_to_tsvector(array['${tooManyWords}']); end if;
  if octet_length(words) > ${maxWordLength} then
    words := regexp_replace(words, '${cutPattern}', '\\1', 'g');
  end if;
  return array_to_tsvector(array_remove(string_to_array(words, ' '), ''));
end`,
)

/** A hash of the body, which follows the version of Unicode that Node.js has. */
const bodyHash = lazy(() => crc32(body()).toString(16).padStart(8, '0'))

/** Indexes over the words of texts, computed by a function whose name has the hash of its body. */
export const postgresWordIndexes: WordIndexes = Object.freeze({
  maxTexts: 32,
  version: () => `${bodyHash()} ${layoutVersion}`,
  prepare: (schema) => {
    const name = functionName(schema)
    return [
      `do $do$ begin if to_regprocedure(${textLiteral(`${name}(text)`)}) is null then create function ${name}(text) returns tsvector language plpgsql immutable strict parallel safe cost ${functionCost} as $words$${body()}$words$; grant execute on function ${name}(text) to public; end if; end $do$`,
    ]
  },
  create: (table, name, texts, option) => {
    const index = quoteTable({ ...table, name })
    const columns = texts.map((text) => `(${wordsOfSql(table.schema, text)})`)
    return [
      `create index${option} ${quoteIdentifier(name)} on ${quoteTable(table)} using gin (${columns.join(', ')})`,
      // The planner then knows how rare a word is in each text.
      ...columns.map(
        (_, column) =>
          `alter index ${index} alter column ${column + 1} set statistics ${statisticsTarget}`,
      ),
    ]
  },
  mayOccur: (schema, text, needle) => `${wordsOfSql(schema, text)} @@ ${wordsQuerySql(needle)}`,
  fence: 'offset 0',
  // Workers cannot call the function, because each would have another schema.
  forbidsParallelism: 'pg_my_temp_schema() is not null',
} satisfies WordIndexes)

/** An index has a column for each text. Counts up with what indexes are, beside the function. */
const layoutVersion = 2

/** As a multiple of what an addition costs: planners compare it with reading a row. */
const functionCost = 1_000

const statisticsTarget = 500

const quoteTable = tableQuoter(quoteIdentifier)

function functionName(schema: string | undefined): string {
  return quoteTable({ schema, name: `resourcery_words_${bodyHash()}` })
}

/** A text that is NULL has no words. */
function wordsOfSql(schema: string | undefined, text: string): string {
  return `${functionName(schema)}(${text} ${codePointOrder})`
}

/**
 * What an index is asked for a needle (`needleOf`), as SQL of the type `tsquery`: its words in any
 * order, or a text with too many words.
 */
function wordsQuerySql(needle: string): string {
  const words = `regexp_replace(btrim(${needle}::text), '${cutPattern}', '\\1', 'g')`
  const ending = `case when right(${needle}::text, 1) = ' ' then '''' else ''':*' end`
  return `('''' || replace(${words}, ' ', ''' & ''') || ${ending} || ' | ''${tooManyWords}''')::tsquery`
}
