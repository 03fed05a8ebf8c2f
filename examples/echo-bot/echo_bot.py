import sys

from postern_sdk import PosternClient, PosternError

# Reads POSTERN_URL and POSTERN_API_KEY.
postern = PosternClient()

# Two of your own numbers would answer each other forever.
own = {name for session in postern.sessions.all() for name in (session["jid"], session["phone"])}

for event in postern.listen(on_open=lambda _: print("Listening. Write to your number.", flush=True)):
    message = event["payload"]
    if event["kind"] != "message" or message["type"] != "text" or message["is_group"] or message["broadcast"]:
        continue
    if message["text"] == "" or own & {message["sender_jid"], message.get("sender_phone")}:
        continue

    session, chat, id = message["session_id"], message["chat_jid"], message["message_id"]
    # The same event may come twice. The same key never sends twice.
    key = f"echo/{session}/{chat}/{id}"
    try:
        postern.send(session_id=session, to=chat, text=message["text"], quoted_message_id=id, idempotency_key=key)
        print(f"Answered {id}", flush=True)
    except PosternError as error:
        print(f"Could not answer {id}: {error}", file=sys.stderr, flush=True)
