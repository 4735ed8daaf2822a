import { createRouter, model, toOne } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeTables } from '../../../test/support/describe-tables.ts'

const Film = model('film', { title: z.string() })
const statusesOf = (document: object) => {
  const { paths } = document as {
    paths: Record<string, Record<string, { responses: object }>>
  }
  return Object.keys(paths['/films/{id}']!.delete!.responses)
}

describeTables('The document of deletions from ordinary tables', ({ serve, sql }) => {
  it('has 409, because a table of another program may refer to the row', async () => {
    const { api, router } = serve([Film])
    await api.post('/films', { film: { id: '1', title: 'Dune' } })
    await sql('create table showings (film text references films (id))')
    await sql("insert into showings values ('1')")
    expect((await api.delete('/films/1')).status).toBe(409)
    expect(statusesOf(router.toOpenApi())).toContain('409')
  })

  it('has no 409 in stores whose items only models refer to', () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(Film)
    expect(statusesOf(router.toOpenApi())).not.toContain('409')
    router.prepare(model('showing', { film: toOne('film', { optional: true }) }))
    expect(statusesOf(router.toOpenApi())).not.toContain('409')
  })
})
