import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { foldText } from '../../query/fold-text.ts'
import { foldSql } from './fold-sql.ts'

describePostgres('Texts folded by PostgreSQL', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  }, 120_000)
  afterAll(() => database?.drop())
  /** What the server makes of each text. */
  const onServer = async (
    expression: string,
    texts: readonly string[],
  ): Promise<readonly string[]> => {
    const [row] = await (await sharedServer()).run(
      `select json_agg(${expression} order by e.position)::text as texts from jsonb_array_elements_text($1::jsonb) with ordinality e(value, position)`,
      [JSON.stringify(texts)],
      database.name,
    )
    return JSON.parse((row as { texts: string }).texts)
  }
  /** Characters of a later version of Unicode than the server has. */
  let unknownToServer: ReadonlySet<string>

  it('are those of JavaScript, for all characters whose decomposition the server knows', async () => {
    const characters = Array.from({ length: 0x10ffff }, (_, index) => index + 1)
      .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
      .map((codePoint) => String.fromCodePoint(codePoint))
    const differing: string[] = []
    for (let start = 0; start < characters.length; start += 100_000) {
      const chunk = characters.slice(start, start + 100_000)
      const folded = await onServer(foldSql('e.value'), chunk)
      differing.push(...chunk.filter((character, index) => folded[index] !== foldText(character)))
    }
    const decomposed = await onServer('normalize(e.value, nfkd)', differing)
    expect(decomposed).toEqual(differing)
    expect(differing.filter((character) => character.normalize('NFKD') === character)).toEqual([])
    expect(differing.filter((character) => character < '\ua7f1')).toEqual([])
    unknownToServer = new Set(differing)
  }, 120_000)

  it('are those of JavaScript, for texts of such characters', async () => {
    const letters = fc.constantFrom(...'aAéÉßẞσςΣİıǅﬁÅ각ガ\u0301\u0308\u0345\u05b0Zz Ω\u2126')
    const character = fc
      .oneof(letters, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
      .filter((one) => one !== '\0' && !unknownToServer.has(one))
    const texts = fc.sample(fc.string({ unit: character, maxLength: 12 }), 5_000)
    expect(await onServer(foldSql('e.value'), texts)).toEqual(texts.map(foldText))
  }, 120_000)
})
