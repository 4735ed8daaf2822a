import { hash, model } from 'resourcery'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeTables } from '../../../test/support/describe-tables.ts'

const schema = `
create table films (id integer primary key, title text not null);
create view film_titles as select id, upper(title) as title from films;
create table log (day text, line integer, text text);
create table drafts (code text unique, text text);
`
const Film = model('film', { title: z.string(), hash: hash() })
const titleFields = { title: z.string().nullable().default(null), hash: hash() }
const titles = { table: 'film_titles', plural: 'filmTitles' }
const FilmTitle = model('filmTitle', titleFields, { ...titles, readOnly: true })

describeTables('Read-only models', ({ serve, sql, refusals }) => {
  it('may be over views, which have the versions of what they show', async () => {
    await sql(schema)
    const { api } = serve([Film, FilmTitle])
    await api.post('/films', { film: { id: '1', title: 'Dune' } })
    const shown = await api.get('/filmTitles/1')
    expect(shown.at('/filmTitle')).toMatchObject({ id: '1', title: 'DUNE' })
    expect((await api.get('/filmTitles/1', { 'if-none-match': shown.etag })).status).toBe(304)
    await api.patch('/films/1', { film: { title: 'Solaris' } })
    expect((await api.get('/filmTitles/1')).etag).not.toBe(shown.etag)
    expect((await api.get('/filmTitles?sort=-title')).ids('filmTitles')).toEqual(['1'])
    expect((await api.patch('/filmTitles/1', { filmTitle: { title: 'x' } })).status).toBe(405)
    expect((await api.delete('/films/1')).status).toBe(204)
  })

  it('are required where a table is a view', async () => {
    await sql(schema)
    const Writable = model('filmTitle', titleFields, titles)
    expect(await refusals([Writable])).toEqual([
      "'film_titles' is a view, so clients cannot write the items of the model 'filmTitle'. Give the model the option { readOnly: true }.",
    ])
  })

  it('may be over tables without a unique key, whose rows without an id are no items', async () => {
    await sql(schema)
    await sql("insert into log values ('1999', 1, 'a'), ('1999', 2, 'b'), ('2000', null, 'c')")
    const fields = { day: z.string() }
    const options = { table: 'log', plural: 'lines', key: 'line' }
    expect(await refusals([model('line', fields, options)])).toEqual([
      "No primary key or unique index makes the ids of the model 'line' unique (column 'line' of 'log'). Add one, or give the model the option { readOnly: true } if the values are unique and clients only read.",
      "The column 'day' of 'log' may be NULL, but the field 'day' of the model 'line' requires a value. Make the field optional or nullable.",
    ])
    const optional = { day: z.string().optional(), text: z.string().optional() }
    const { api } = serve([model('line', optional, { ...options, readOnly: true })])
    expect((await api.get('/lines?withCount=true')).ids('lines')).toEqual(['1', '2'])
    expect((await api.get('/lines/2')).at('/line/text')).toBe('b')
    for (const id of ['null', '3', 'x', '01', '%00'])
      expect((await api.get(`/lines/${id}`)).status, id).toBe(404)
  })

  it('are not the only ones whose rows without an id are no items', async () => {
    await sql(schema)
    await sql("insert into drafts values ('a', '1'), (null, '2')")
    const Draft = model('draft', { text: z.string().optional() }, { key: 'code' })
    const { api } = serve([Draft])
    expect((await api.get('/drafts')).ids('drafts')).toEqual(['a'])
    expect((await api.patch('/drafts/a', { draft: { text: '3' } })).status).toBe(200)
    expect((await api.delete('/drafts/a')).status).toBe(204)
    expect((await sql('select text from drafts')).flat()).toEqual(['2'])
  })
})
