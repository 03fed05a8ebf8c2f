import { useEffect, useId, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { classes } from './classes.ts'
import { useShownTheme } from './theme.ts'
import { locale } from '../language.ts'
import { t } from '../t.ts'

export interface Series {
  name: string
  /** Which of the palette's lines it is drawn with. */
  colour: 1 | 2 | 3 | 4
  values: readonly (number | null)[]
}

interface ChartProps {
  title: string
  /** Unix seconds. */
  times: readonly number[]
  series: readonly Series[]
  format: (value: number) => string
  /** Each point is a whole day: its hour says nothing. */
  daily?: boolean
}

const HEIGHT_PX = 180
const DOTS = { 1: 'bg-(--series-1)', 2: 'bg-(--series-2)', 3: 'bg-(--series-3)', 4: 'bg-(--series-4)' }
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const nameOf = (seconds: number, daily: boolean): string => (daily ? day : moment).format(new Date(seconds * 1000))

/** Thin lines from zero, values of the hovered moment in a fixed place, and the same data as a table. */
export function Chart({ title, times, series, format, daily = false }: ChartProps) {
  const id = useId()
  const [at, setAt] = useState<number | null>(null)
  const [asTable, setAsTable] = useState(false)
  return (
    <section className="card min-w-0 p-4" aria-labelledby={id}>
      <header className="flex items-center justify-between gap-2">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <button
          type="button"
          onClick={() => setAsTable(!asTable)}
          className="rounded px-1.5 text-[13px] text-muted hover:text-ink"
        >
          {asTable ? t('As a chart') : t('As a table')}
        </button>
      </header>
      <p className="mt-1 mb-2 flex min-h-5 flex-wrap gap-x-4 text-[13px] text-muted">
        {series.map(({ name, colour, values }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span aria-hidden className={classes('h-0.5 w-3 rounded', DOTS[colour])} />
            {name}
            {at !== null && (
              <b className="font-semibold text-ink">{values[at] == null ? t('none') : format(values[at])}</b>
            )}
          </span>
        ))}
        {at !== null && <span className="ml-auto">{nameOf(times[at]!, daily)}</span>}
      </p>
      {asTable ? (
        <DataTable title={title} times={times} series={series} format={format} daily={daily} />
      ) : (
        <Plot times={times} series={series} format={format} onHover={setAt} title={title} />
      )}
    </section>
  )
}

function Plot({ title, times, series, format, onHover }: ChartProps & { onHover: (at: number | null) => void }) {
  const host = useRef<HTMLDivElement>(null)
  const theme = useShownTheme()
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const data = [times, ...series.map(({ values }) => values)] as uPlot.AlignedData
    const plot = new uPlot(optionsOf(element, series, format, onHover), data, element)
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }))
    watch.observe(element)
    return () => {
      watch.disconnect()
      plot.destroy()
    }
  }, [times, series, format, onHover, theme])
  return (
    <div
      ref={host}
      role="img"
      aria-label={t('{title}: chart. The button above shows the same as a table.', { title })}
      className="h-[180px] w-full overflow-hidden"
    />
  )
}

function optionsOf(
  element: HTMLElement,
  series: readonly Series[],
  format: (value: number) => string,
  onHover: (at: number | null) => void,
): uPlot.Options {
  const isFew = (series[0]?.values.length ?? 0) <= FEW
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const axis = { stroke: colour('--muted'), font: '11px Inter Variable, sans-serif', ticks: { show: false } }
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      ...(isFew && { x: { range: aroundBars } }),
      y: { range: (_plot, _min, max) => [0, Math.max(max ?? 0, 1) * 1.1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        space: 70,
        values: (_plot, ticks, _axis, _space, step) => ticks.map(tick => tickText(tick, step)),
      },
      {
        ...axis,
        size: 62,
        grid: { stroke: colour('--line'), width: 1 },
        space: 40,
        values: (_plot, ticks) => ticks.map(tick => format(tick)),
      },
    ],
    series: [
      {},
      ...series.map((line, at) => ({
        label: line.name,
        stroke: colour(`--series-${line.colour}`),
        width: 1.5,
        ...(isFew && { paths: barsOf(at, series.length), fill: colour(`--series-${line.colour}`) }),
        points: {
          show: !isFew,
          size: 4,
          filter: (_plot: uPlot, index: number) => isolated(series[index - 1]!.values),
        },
        spanGaps: false,
      })),
    ],
    hooks: { setCursor: [plot => onHover(plot.cursor.idx ?? null)] },
  }
}

/** So few points say more as bars than as a line. */
const FEW = 8

/** Two series stand beside each other, left and right of their time. */
const barsOf = (at: number, of: number): uPlot.Series.PathBuilder =>
  uPlot.paths.bars!({ size: [of === 1 ? 0.5 : 0.3, 36], align: of === 1 ? 0 : at === 0 ? -1 : 1, radius: 0.15 })

/** Room for the first bar and the last. */
const aroundBars = (plot: uPlot): [number, number] => {
  const times = plot.data[0]
  const step = (times[1] ?? 0) - (times[0] ?? 0)
  return [(times[0] ?? 0) - step / 2, (times.at(-1) ?? 0) + step / 2]
}

/** A value between two empty intervals makes no line; it gets a dot. */
const isolated = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value, at) => (value !== null && values[at - 1] == null && values[at + 1] == null ? [at] : []))

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })

/** The hour, or the day where a day begins or the steps are days. */
function tickText(seconds: number, stepSeconds: number): string {
  const at = new Date(seconds * 1000)
  return stepSeconds >= 86_400 || (at.getHours() === 0 && at.getMinutes() === 0) ? date.format(at) : clock.format(at)
}

function DataTable({ title, times, series, format, daily = false }: ChartProps) {
  return (
    <div tabIndex={0} role="group" aria-label={t('{title} as a table', { title })} className="h-[180px] overflow-auto">
      <table className="w-full text-[13px]">
        <thead>
          <tr className="text-left text-muted">
            <th scope="col" className="py-1 font-medium">
              {t('Time')}
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="py-1 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time} className="border-t">
              <td className="py-1">{nameOf(time, daily)}</td>
              {series.map(({ name, values }) => (
                <td key={name} className="py-1 text-right">
                  {values[index] == null ? '–' : format(values[index])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
