import { Status } from '../ui/status.tsx'

/** The status of a response; its colour distinguishes client errors from server errors. */
export function RequestStatusMark({ status }: { status: number }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'waiting' : 'good'
  return <Status tone={tone}>{String(status)}</Status>
}
